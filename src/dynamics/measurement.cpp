#include <holon/dynamics/measurement.hpp>

#include <holon/core/units.hpp>

namespace holon {

Mat3 pressure_tensor(const Mat3& kinetic, const Mat3& virial, double volume)
{
    return 2.0 / volume * units::bar_per_kj_per_mol_nm3 * (kinetic - virial);
}

} // namespace holon
