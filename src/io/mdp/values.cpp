#include "values.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace holon {

namespace {

template <class Number>
Number parse_number(std::string_view text, Bounds bounds, const std::string& kind)
{
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    Number value{};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc::result_out_of_range) throw BadValue("the number is too large or too small");
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) throw BadValue("expected " + kind);
    const auto real = static_cast<double>(value);
    if (!std::isfinite(real)) throw BadValue("expected " + kind);
    if (bounds.least_excluded && real <= bounds.least) throw BadValue("must be more than " + print_real(bounds.least));
    if (real < bounds.least) throw BadValue("must be at least " + print_real(bounds.least));
    if (real > bounds.most) throw BadValue("must be at most " + print_real(bounds.most));
    return value;
}

} // namespace

double parse_real(std::string_view text, Bounds bounds)
{
    return parse_number<double>(text, bounds, "a number");
}

std::int64_t parse_integer(std::string_view text, Bounds bounds)
{
    return parse_number<std::int64_t>(text, bounds, "an integer");
}

std::uint64_t parse_unsigned(std::string_view text)
{
    return parse_number<std::uint64_t>(text, any_number, "an integer of at least 0");
}

std::string print_real(double value)
{
    std::array<char, 32> digits;
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), result.ptr};
}

} // namespace holon
