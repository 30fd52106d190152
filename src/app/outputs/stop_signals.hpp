#pragma once

namespace holon {

/// From now on TERM, INT, USR1 and USR2 ask the run to stop after the step in hand; one more of them, at least a second
/// after the first, ends the program at once. What comes sooner is the same request: launchers and batch systems may
/// deliver it many times. A program that has this listens before the constructors of its libraries, where the linker
/// can have it so; call it first of all all the same. It is also when the program's time begins.
void listen_for_signals();

bool stop_requested(); // this rank has been asked to stop

double seconds_since_start(); // of the program

} // namespace holon
