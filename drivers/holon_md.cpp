/// Molecular dynamics of a GROMACS input.
///
/// Sample runs:
///   mpirun -n 4 holon-md -f md.mdp -c conf.gro -p topol.top -o run
///   mpirun -n 8 holon-md --restart run/checkpoint.h5 --nsteps 20000
///   mpirun -n 2 holon-md -f md.mdp -c conf.gro -p topol.top -o sp --nsteps 0 --nstfout 1
#include <holon/app/run.hpp>

int main(int argc, char** argv)
{
    return holon::run_program(argc, argv);
}
