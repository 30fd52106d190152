#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/scheme.hpp>

namespace holon {

namespace {

/// Velocity Verlet: W. C. Swope, H. C. Andersen, P. H. Berens, K. R. Wilson, J. Chem. Phys. 76, 637 (1982); with the
/// velocity stage of RATTLE: H. C. Andersen, J. Comput. Phys. 52, 24 (1983).
Scheme make(const SchemeInput& input)
{
    using namespace parts;
    return sequence(frame(), kinetic_energy(1.0), thermostat_before_kick(input), kick(0.5), drift(1.0),
                    constrain_positions(0.5), measure(input), next_step(), forces(), kick(0.5), constrain_velocities(),
                    thermostat(input), constrain_coupled_velocities(input), remove_com_motion(input), checkpoint());
}

} // namespace

SchemeEntry md_vv_scheme()
{
    return {"md-vv", {.reversible = true}, make};
}

} // namespace holon
