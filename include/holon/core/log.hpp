#pragma once

#include <holon/core/shown_text.hpp>

#include <string>
#include <utility>
#include <vector>

namespace holon {

/// Remarks on the input that the user should see (once, on rank 0, and in md.log): what is computed differently from
/// GROMACS, what is ignored, which seed was derived.
class Notes {
public:
    void add(std::string text) { texts_.push_back(without_control_characters(std::move(text))); }
    const std::vector<std::string>& texts() const { return texts_; }

private:
    std::vector<std::string> texts_;
};

} // namespace holon
