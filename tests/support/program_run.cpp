#include <support/program_run.hpp>

#include <app/outputs/outputs.hpp>
#include <app/outputs/run_state.hpp>

namespace holon::test {
namespace {

constexpr const char* common_settings = R"(
rcoulomb = 0.85
rvdw = 0.85
rvdw-switch = 0.6
vdw-modifier = force-switch
gen-seed = 11
ld-seed = 12
nstenergy = 0
nstlog = 0
checkpoint-interval = 0
)";

} // namespace

ProgramRun::ProgramRun(const TestSystem& system, const Communicator& comm, const std::string& mdp,
                       const std::vector<int>& grid)
    : comm_(comm), scratch_(comm)
{
    const auto or_default = [&mdp](const std::string& key, const std::string& value) {
        return mdp.find(key) == std::string::npos ? key + " = " + value + "\n" : "";
    };
    const auto text = common_settings + or_default("comm-mode", "none") + or_default("gen-vel", "yes") + mdp;
    input_.settings = read_settings(text, "test.mdp", {}, input_.notes);
    input_.settings.parameters.domains = grid;
    resolve_groups(input_.settings, *system.topology, {});
    input_.topology = system.topology;
    input_.box = system.box;
    input_.state.box = system.box.master();
    system_.emplace(comm, input_.topology, parameters(), input_.box);
    system_->distribute(system.share(comm));
    prepare_start(*system_, parameters(), 0);
    dynamics_.emplace(*system_, parameters(), 0);
    folder_.emplace(comm, scratch_.file("run"), OutputFolder::Start::fresh);
    outputs_ = std::make_unique<Outputs>(input_, *folder_, *system_, state());
}

ProgramRun::~ProgramRun() = default;

std::string ProgramRun::advance(std::int64_t steps)
{
    dynamics_->run(dynamics_->clock().step + steps, *outputs_);
    return dynamics_->verdict();
}

RunState ProgramRun::state() const
{
    return run_state(*system_, dynamics_->clock(), {});
}

std::vector<AtomRecord> ProgramRun::records() const
{
    const auto n = static_cast<std::size_t>(input_.topology->n_atoms());
    return canonical_by_id(comm_, system_->atoms, system_->box(), n);
}

double ProgramRun::potential() const
{
    return system_->totals().potential;
}

double ProgramRun::kinetic() const
{
    return kinetic_tensor(system_->atoms, comm_).trace();
}

} // namespace holon::test
