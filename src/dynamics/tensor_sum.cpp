#include <holon/dynamics/tensor_sum.hpp>

namespace holon {

std::vector<Mat3> over_all(const Communicator& comm, std::span<TensorSum> sums)
{
    std::vector<FixedSum> all;
    for (auto& sum : sums) {
        const auto parts = sum.parts();
        all.insert(all.end(), parts.begin(), parts.end());
    }
    comm.sum(std::span(all));
    std::vector<Mat3> tensors(sums.size());
    for (std::size_t k = 0; k < all.size(); ++k)
        tensors[k / 9](static_cast<int>(k % 9 / 3), static_cast<int>(k % 3)) = all[k].value();
    return tensors;
}

} // namespace holon
