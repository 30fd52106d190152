#include "energy_recorder.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>

namespace holon {

EnergyRecorder::EnergyRecorder(const Communicator& comm, const RunFolder& folder, const ShownValues& shown,
                               std::int64_t interval)
    : shown_(shown), interval_(interval)
{
    on_root(comm, [&] {
        const auto path = folder.file(energies_name);
        const auto bytes = folder.start_marks().energies.bytes;
        file_ =
            bytes > 0 ? EnergyFile::resume(path, shown.columns(), bytes) : EnergyFile::create(path, shown.columns());
    });
}

void EnergyRecorder::measured(const Measurement& m)
{
    if (file_ && wants_energies(m.step) && !file_->has_row(m.step)) file_->append(m.step, m.time, shown_.row(m));
}

void EnergyRecorder::mark(OutputMarks& marks) const
{
    if (file_) marks.energies = file_->mark();
}

std::string EnergyRecorder::problem() const
{
    return file_ ? file_->error() : std::string();
}

void EnergyRecorder::finish()
{
    file_->finish();
    if (const auto text = problem(); !text.empty()) throw Failure(text);
}

} // namespace holon
