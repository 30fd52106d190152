#pragma once

#include <holon/core/index.hpp>
#include <holon/core/parallel.hpp>
#include <holon/core/vec3.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace holon {

/// Forces to which several threads add at the same time, on any atom: the first directly, the others to arrays of
/// their own, which are added afterwards.
class ThreadForces {
public:
    /// Calls add_part(part, f) for every part in [0, parts), which adds what that part gives to f, per atom.
    template <class AddPart>
    void add(std::span<IVec3> forces, int parts, AddPart add_part)
    {
        if (parts > 1) others_.resize(index(thread_count()) - 1);
        for (auto& f : others_) f.resize(forces.size(), IVec3::Zero());
        parallel_parts(parts, [&](int part, int thread) {
            add_part(part, thread == 0 ? forces : std::span(others_[index(thread) - 1]));
        });
        if (others_.empty()) return;
        constexpr std::size_t few_atoms = 1024;
        parallel_for(forces.size(), few_atoms, [&](std::size_t begin, std::size_t end) {
            for (auto& f : others_)
                for (std::size_t i = begin; i < end; ++i) {
                    forces[i] += f[i];
                    f[i].setZero();
                }
        });
    }

private:
    std::vector<std::vector<IVec3>> others_; // zero between calls
};

} // namespace holon
