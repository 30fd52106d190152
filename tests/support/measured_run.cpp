#include <support/measured_run.hpp>

#include <holon/dynamics/scheme_check.hpp>

#include <cmath>

namespace holon::test {

MeasuredRun::MeasuredRun(const TestSystem& system, const Communicator& comm, const std::string& mdp,
                         const std::vector<AtomGroup>& groups)
    : settings_(settings(system, mdp, groups)), system_(comm, system.topology, settings_.parameters, system.box)
{
    check_scheme(*system.topology, settings_.parameters, notes_);
    system_.distribute(system.share(comm));
    prepare_start(system_, settings_.parameters, 0);
    dynamics_.emplace(system_, settings_.parameters, 0);
}

std::vector<Measurement> MeasuredRun::advance(std::int64_t steps)
{
    measurements_.clear();
    dynamics_->run(dynamics_->clock().step + steps, *this);
    return measurements_;
}

double MeasuredRun::dof() const
{
    return count_degrees_of_freedom(system_.topology(), settings_.parameters).total;
}

RunSettings MeasuredRun::settings(const TestSystem& system, const std::string& mdp,
                                  const std::vector<AtomGroup>& groups)
{
    const std::string cutoffs =
        mdp.find("rvdw") == std::string::npos ? "rcoulomb = 0.85\nrvdw = 0.85\nrvdw-switch = 0.6\n" : "";
    auto read = read_settings(cutoffs + "vdw-modifier = force-switch\nld-seed = 12\ngen-seed = 11\n" + mdp, "test.mdp",
                              {}, notes_);
    resolve_groups(read, *system.topology, groups);
    return read;
}

Spread spread(const std::vector<Measurement>& all, const std::function<double(const Measurement&)>& of)
{
    Spread s;
    const auto n = static_cast<double>(all.size());
    for (const auto& m : all) s.mean += of(m) / n;
    for (const auto& m : all) s.deviation += (of(m) - s.mean) * (of(m) - s.mean) / n;
    s.deviation = std::sqrt(s.deviation);
    return s;
}

} // namespace holon::test
