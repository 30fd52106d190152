/// Trajectories: edits of a good file (edits.hpp), looked at and resumed. Flag 0: the directory's checksum is made to
/// match.
#include "edits.hpp"

#include <holon/io/trajectory.hpp>
#include <io/trajectory/layout.hpp>
#include <support/sample_state.hpp>

using namespace holon;

namespace {

constexpr std::int64_t n_atoms = 5, last_step = 3;

TrajectoryInfo sample_info()
{
    TrajectoryInfo info;
    info.atoms = n_atoms;
    info.run_id = 99;
    info.schedule[Quantity::position] = {1};
    info.schedule[Quantity::velocity] = {2};
    info.last_step = last_step + 2;
    info.species.assign(n_atoms, 18);
    info.mass.assign(n_atoms, 39.948);
    info.charge.assign(n_atoms, 0.0);
    info.name = {2, "ArArArArAr"};
    info.residue.assign(n_atoms, 0);
    info.residue_name = {2, "Ar"};
    return info;
}

class Victim {
public:
    Victim()
    {
        const auto original = folder_.file("original.h5");
        auto writer = TrajectoryWriter::create({}, original, sample_info());
        for (std::int64_t step = 1; step <= last_step; ++step)
            writer.append(step, 0.5, test::sample_atoms(n_atoms, step), test::sample_box());
        writer.finish();
        original_ = fuzz::Bytes(original);
        directory_ = read_trajectory_directory(RawFile(original, RawFile::Mode::read));
    }

    const std::string& damage(const fuzz::Edits& edits)
    {
        copy_ = original_;
        for (const auto& edit : edits) apply(edit);
        if (edits.flag(0) && copy_.has(directory_.offset, sizeof directory_)) {
            auto changed = copy_.get<TrajectoryDirectory>(directory_.offset);
            seal(changed);
            copy_.put(directory_.offset, changed);
        }
        copy_.write(path_);
        return path_;
    }

private:
    void apply(const fuzz::Edit& edit)
    {
        const auto word = std::int64_t{edit.at};
        switch (edit.kind(6)) {
        case 0:
            return copy_.change(directory_.offset + word % 512 * 8, edit);
        case 1: // the lengths of all datasets, or of one
            for (std::size_t k = 0; k < field_count; ++k)
                if (directory_.fields[k].frame_bytes > 0 && (edit.part == 0 || edit.part % field_count == k)) {
                    copy_.change(directory_.fields[k].length_at, edit);
                    if (directory_.fields[k].max_length_at >= 0) copy_.change(directory_.fields[k].max_length_at, edit);
                }
            return;
        case 2:
            return copy_.change(directory_.fields[field_step].data + word % 64 * 8, edit);
        case 3:
            return copy_.change(directory_.fields[edit.part % field_count].data + word % 64 * 8, edit);
        case 4:
            return copy_.copy_page(edit.value, edit.at);
        default:
            return copy_.truncate(static_cast<std::int64_t>(edit.value % static_cast<std::uint64_t>(original_.size())));
        }
    }

    test::TemporaryFolder folder_;
    std::string path_ = folder_.file("trajectory.h5");
    fuzz::Bytes original_, copy_;
    TrajectoryDirectory directory_{};
};

void look_at(const std::string& path)
{
    TrajectoryFile::recognises(path);
    const TrajectoryFile file(path);
    OutputMarks marks;
    marks.frames = marks.last_frame = 2;
    file.mismatch(99, marks);
    for (std::int64_t frame = 0; frame < std::min<std::int64_t>(file.frames(), 8); ++frame) {
        file.time(frame);
        fuzz::require(frame == 0 || file.step(frame) > file.step(frame - 1), "steps ascend");
        file.contents(frame);
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static Victim victim;
    const fuzz::Edits edits(data, size);
    const bool hidden = edits.flag(0); // the places of what is in the file are any, too
    const auto& path = victim.damage(edits);
    fuzz::takes([&] { look_at(path); });
    fuzz::takes([&] { TrajectoryWriter::check_append(path, sample_info()); });
    fuzz::takes([&] {
        auto writer = TrajectoryWriter::resume({}, path, sample_info(), 2);
        const TrajectoryFile kept(path);
        fuzz::require(hidden || kept.frames() == writer.frames(), "what is kept can be read");
        fuzz::require(hidden || kept.frames() == 0 || kept.step(kept.frames() - 1) <= 2, "later frames are dropped");
        writer.append(3, 0.5, test::sample_atoms(n_atoms, 3), test::sample_box());
        writer.finish();
    });
    return 0;
}
