#pragma once

namespace holon {

double thread_cpu_seconds();  // CPU time of the calling thread
double process_cpu_seconds(); // of all threads of the process

} // namespace holon
