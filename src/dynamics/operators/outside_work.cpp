#include <holon/core/index.hpp>
#include <holon/dynamics/parts.hpp>

namespace holon {

namespace {

/// Where atoms are when a step begins, and the ledger.
struct Account {
    std::vector<IVec3> start; // of owned atoms and virtual sites
    std::span<double> work;   // done on the system [kJ/mol]
};

class NoteStart : public Operator {
public:
    explicit NoteStart(std::shared_ptr<Account> account) : account_(std::move(account)) {}

    void apply(Step& step) override
    {
        const auto& atoms = step.system.atoms;
        account_->start.assign(atoms.x.begin(), atoms.x.begin() + atoms.n_owned);
    }

private:
    std::shared_ptr<Account> account_;
};

class BookWork : public Operator {
public:
    explicit BookWork(std::shared_ptr<Account> account) : account_(std::move(account)) {}

    void apply(Step& step) override
    {
        auto& system = step.system;
        system.place_sites();
        const auto timer = system.timers.measure(Stage::integrate);
        auto work = system.force_field().external_forces().work(system.atoms, account_->start, step.clock.time(),
                                                                step.clock.time(1));
        system.comm().sum(std::span(&work, 1));
        account_->work[0] += work.value();
    }

    double stored_energy() const override { return -account_->work[0]; }

private:
    std::shared_ptr<Account> account_;
};

} // namespace

parts::OutsideParts parts::outside_work(const SchemeInput& input)
{
    if (ExternalForces(input.parameters).empty()) return {};
    auto account = std::make_shared<Account>();
    account->work = input.state.declare({.name = "outside-work", .role = Role::ledger, .values = {0.0}});
    return {std::make_unique<NoteStart>(account), std::make_unique<BookWork>(account)};
}

} // namespace holon
