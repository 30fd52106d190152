/// Shows, verifies and compares what a run has left; takes states out of its checkpoint.
///
/// Sample runs:
///   holon-inspect run/checkpoint.h5                              slots, their steps and state hashes
///   holon-inspect a/trajectory.h5md b/trajectory.h5md                do the frames differ?
///   holon-inspect run/checkpoint.h5 --step 1000 --gro state.gro  one of its states
///   holon-inspect run/checkpoint.h5 --slot 2 --branch other      a new run that begins with one of its states
#include <holon/app/inspect.hpp>

int main(int argc, char** argv)
{
    return holon::inspect_program({argv + 1, argv + argc});
}
