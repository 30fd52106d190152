/// Minima and normal modes of a molecule in its torsions.
///
/// Sample runs:
///   holon-torsions minimise -f md.mdp -c conf.gro -p topol.top --gro minimum.gro
///   holon-torsions modes -f md.mdp -c conf.gro -p topol.top --csv modes.csv
#include <holon/app/torsions.hpp>

int main(int argc, char** argv)
{
    return holon::torsions_program(argc, argv);
}
