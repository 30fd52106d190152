#include <holon/core/box.hpp>

#include <cmath>

/// Uses the installed headers and libraries; exit status 0 if they work.
int main()
{
    const holon::Box box(holon::Mat3::Identity() * 3.0, 44);
    return std::abs(box.volume() - 27.0) < 1e-12 ? 0 : 1;
}
