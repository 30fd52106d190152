/// What each constraint solver costs and how exact it is, on a step of a GROMACS input.
///
/// Sample runs:
///   mpirun -n 4 holon-bench-constraints -f md.mdp -c conf.gro -p topol.top --constraints all-bonds
///   mpirun -n 2 holon-bench-constraints --restart run/checkpoint.h5 --solvers lincs,newton --tolerances 1e-8
#include <holon/app/constraint_benchmark.hpp>

int main(int argc, char** argv)
{
    return holon::constraint_benchmark_program(argc, argv);
}
