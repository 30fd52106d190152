#pragma once

#include <support/systems.hpp>

#include <cstdint>
#include <vector>

/// Small systems with virtual sites.
namespace holon::test {

/// Rigid waters of the geometry of TIP4P with their charge on a site, 4 n^3 atoms, turned at random. The sites are not
/// where they belong.
TestSystem four_site_water(const Mat3& vectors, int n, unsigned seed = 2);

/// The chain of `beads` with a site of some kind at every other one, from the beads around it, which may belong to
/// other domains, and sites that follow such sites, three deep. All are charged.
class SitesOnAChain {
public:
    SitesOnAChain(const Mat3& vectors, int n);

    TestSystem take();

private:
    void add_next(MoleculeType& type, std::int32_t bead);

    std::int32_t add(MoleculeType& type, VirtualSite site, std::int32_t like);

    /// b to a, nearest image.
    Vec3 difference(const Vec3& a, const Vec3& b) const;

    /// A bead and six others near it, the first three of which lie in directions of their own.
    std::vector<std::int32_t> around(std::int32_t bead) const;
    Vec3 to(std::int32_t i, std::int32_t j) const;

    /// Sites do not interact with what is closer than atoms ever are.
    void exclude_close(MoleculeType& type) const;

    TestSystem system_;
    Box box_;
    std::vector<Vec3> x_; // beads, then sites [nm]
};

} // namespace holon::test
