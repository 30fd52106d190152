// The kernels of groups that move with the box: what their formulas give number by number, with every instruction set.
#include <holon/core/box.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/lattice.hpp>

#include <dynamics/group_batches.hpp>

#include <support/constraints/constraint_system.hpp>

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace holon::test {
namespace {

using namespace scaling_groups;

struct Variant {
    const char* name;
    decltype(&kinetic_tensor_baseline) kinetic_tensor;
    decltype(&internal_virial_baseline) internal_virial;
    decltype(&follow_baseline) follow;
    decltype(&move_of_baseline) move_of;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{
        {"baseline", kinetic_tensor_baseline, internal_virial_baseline, follow_baseline, move_of_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3)
        all.push_back({"v3", kinetic_tensor_v3, internal_virial_v3, follow_v3, move_of_v3});
    if (best_instruction_set() >= InstructionSet::v4)
        all.push_back({"v4", kinetic_tensor_v4, internal_virial_v4, follow_v4, move_of_v4});
#endif
    return all;
}

constexpr double tensor_bound = 0x1p50;

/// Groups of one to five atoms in and around a skewed cell, with an atom between them that belongs to none. One in ten
/// is so fast, and pulled so hard, that its tensors are not small.
struct Sample {
    std::vector<std::int32_t> begins{0}, atoms;
    std::vector<double> masses, weights;
    GroupBatches batches;
    std::vector<IVec3> x, v, f, f_further;
    Box box{(Mat3() << 3.0, 0.0, 0.0, 0.7, 2.5, 0.0, -1.1, 0.9, 2.8).finished(), 40};

    Sample()
    {
        Noise noise(5);
        for (int g = 0; g < 90; ++g) {
            const int n = g % 5 + 1;
            const double scale = g % 10 == 7 ? 1e4 : 1.0;
            const Vec3 centre = 5.0 * noise.vector();
            double mass = 0.0;
            std::vector<double> of_members;
            for (int m = 0; m < n; ++m) {
                atoms.push_back(static_cast<std::int32_t>(x.size()));
                of_members.push_back(8.0 + 7.0 * noise());
                mass += of_members.back();
                add(centre + 0.1 * noise.vector(), scale * noise.vector(), scale * 1e3 * noise.vector());
            }
            for (const double of_member : of_members) weights.push_back(of_member / mass);
            batches.add(std::span(atoms).last(of_members.size()), of_members);
            masses.push_back(mass);
            begins.push_back(static_cast<std::int32_t>(atoms.size()));
            add(noise.vector(), noise.vector(), noise.vector());
        }
        batches.finish();
    }

    void add(const Vec3& position, const Vec3& velocity, const Vec3& force)
    {
        x.push_back(to_lattice(position, position_unit));
        v.push_back(to_lattice(velocity, velocity_unit));
        f.push_back(to_lattice(force, force_unit));
        f_further.push_back(to_lattice(Vec3(force[2], force[0], force[1]), force_unit));
    }

    Groups groups() const { return batches.groups(0, batches.size()); }

    template <class Use>
    void for_each_group(Use use) const
    {
        for (std::size_t g = 0; g < masses.size(); ++g)
            use(masses[g], static_cast<std::size_t>(begins[g]), static_cast<std::size_t>(begins[g + 1]));
    }

    std::size_t atom(std::size_t member) const { return static_cast<std::size_t>(atoms[member]); }

    Vec3 velocity(std::size_t begin, std::size_t end) const
    {
        Vec3 sum = Vec3::Zero();
        for (auto m = begin; m < end; ++m) sum += weights[m] * to_real(v[atom(m)], velocity_unit);
        return sum;
    }

    Vec3 from_head(std::size_t begin, std::size_t end) const
    {
        Vec3 sum = Vec3::Zero();
        for (auto m = begin + 1; m < end; ++m)
            sum += weights[m] * to_real(IVec3(x[atom(m)] - x[atom(begin)]), position_unit);
        return sum;
    }
};

using Sums = std::array<int128, 9>;

void add(Sums& sums, const Mat3& tensor)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sums[static_cast<std::size_t>(3 * i + j)] += to_fixed(tensor(i, j));
}

void expect_sums(const TensorSums& found, const Sums& expected)
{
    Sums sums{};
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = found.sum[k];
    for (std::int64_t l = 0; l < found.n_large; ++l)
        for (std::size_t k = 0; k < sums.size(); ++k)
            sums[k] += to_fixed(found.large[9 * static_cast<std::size_t>(l) + k]);
    for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_TRUE(sums[k] == expected[k]) << k;
    EXPECT_GT(found.n_large, 0);
    EXPECT_LT(found.n_large, 10);
}

TEST(ScalingGroupsKernel, SumsTensorsOfAnySize)
{
    const Sample sample;
    Sums kinetic{}, internal{};
    sample.for_each_group([&](double mass, std::size_t begin, std::size_t end) {
        const Vec3 u = sample.velocity(begin, end);
        add(kinetic, (0.5 * mass * u) * u.transpose());
        const Vec3 centre = sample.from_head(begin, end);
        Mat3 of_group = Mat3::Zero();
        for (auto m = begin; m < end; ++m) {
            const auto i = sample.atom(m);
            const Vec3 d = to_real(IVec3(sample.x[i] - sample.x[sample.atom(begin)]), position_unit) - centre;
            of_group += (0.5 * d) * to_real(IVec3(sample.f[i] + sample.f_further[i]), force_unit).transpose();
        }
        if (end - begin > 1) add(internal, of_group);
    });
    const std::array forces = {sample.f.front().data(), sample.f_further.front().data()};
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        TensorSums sums;
        sums.bound = tensor_bound;
        variant.kinetic_tensor(sample.groups(), sample.v.front().data(), sums);
        expect_sums(sums, kinetic);
        variant.internal_virial(sample.groups(), sample.x.front().data(), forces.data(), 2, sums);
        expect_sums(sums, internal);
    }
}

TEST(ScalingGroupsKernel, MovesGroupsByWhereTheyAreInTheCell)
{
    const Sample sample;
    Mat3 velocities;
    velocities << 0.999, 0.0, 0.0, 2e-4, 1.002, 0.0, 1e-4, -3e-4, 1.001;
    Motion motion{};
    std::array<IVec3, 3> change;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            motion.velocities[3 * i + j] = velocities(i, j);
            motion.inverse[3 * i + j] = sample.box.inverse()(i, j);
            motion.box[3 * i + j] = sample.box.lattice_vector(i)[j];
            motion.change[3 * i + j] = j > i ? 0 : (std::int64_t{3 * i + j - 4} << 36);
            change[static_cast<std::size_t>(i)][j] = motion.change[3 * i + j];
        }
    motion.before = 0.001;
    const auto by = [&](const IVec3& centre, const Vec3& u) {
        Vec3 more;
        for (int k = 0; k < 3; ++k)
            more[k] = u[0] * velocities(0, k) + u[1] * velocities(1, k) + u[2] * velocities(2, k) - u[k];
        const IVec3 of_v = to_lattice(more, velocity_unit);
        IVec3 middle = centre - to_lattice(u * motion.before, position_unit), of_images = IVec3::Zero();
        const Image image = sample.box.wrap(middle);
        const Vec3 s = sample.box.fractional(middle);
        Vec3 along = Vec3::Zero();
        for (int k = 0; k < 3; ++k) {
            const IVec3& of_vector = change[static_cast<std::size_t>(k)];
            for (int a = 0; a < 3; ++a) along[a] += s[k] * static_cast<double>(of_vector[a]);
            of_images += std::int64_t{image[k]} * of_vector;
        }
        return std::pair<IVec3, IVec3>(to_lattice(along, 1.0) + of_images +
                                           to_lattice(to_real(of_v, velocity_unit) * motion.before, position_unit),
                                       of_v);
    };
    auto x = sample.x, v = sample.v;
    sample.for_each_group([&](double, std::size_t begin, std::size_t end) {
        const IVec3 centre = sample.x[sample.atom(begin)] + to_lattice(sample.from_head(begin, end), position_unit);
        const auto [of_x, of_v] = by(centre, sample.velocity(begin, end));
        for (auto m = begin; m < end; ++m) {
            x[sample.atom(m)] += of_x;
            v[sample.atom(m)] += of_v;
        }
    });
    const IVec3 centre(-(std::int64_t{1} << 51), std::int64_t{1} << 50, 12345);
    const Vec3 u(0.5, -0.25, 3.0);
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.name);
        auto found_x = sample.x, found_v = sample.v;
        variant.follow(sample.groups(), motion, found_x.front().data(), found_v.front().data());
        EXPECT_TRUE(found_x == x);
        EXPECT_TRUE(found_v == v);
        IVec3 of_x, of_v;
        variant.move_of(centre.data(), u.data(), motion, of_x.data(), of_v.data());
        EXPECT_EQ(of_x, by(centre, u).first);
        EXPECT_EQ(of_v, by(centre, u).second);
    }
}

} // namespace
} // namespace holon::test
