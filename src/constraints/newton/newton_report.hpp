#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

/// What Newton's solver knows of an iteration, put together on the way up the tree.
namespace holon::newton {

enum Reason { turned, singular, endless, far };

inline const char* text(int reason)
{
    switch (reason) {
    case turned:
        return "the bond has turned by 90 degrees or more, or is not finite";
    case singular:
        return "the constraints around it depend on each other: take out those that follow from the rest";
    case far:
        return "the bond is too far from its length for a method without iteration";
    default:
        return "no solution was found within the iteration limit";
    }
}

/// What goes up the tree beside the matrix.
struct Report {
    double error = 0.0;       // largest |g| / d^2, times dt in the velocity stage
    double growth = 0.0;      // largest diagonal element / pivot
    std::int32_t worst = -1;  // constraint with that error
    std::int32_t failed = -1; // first constraint that can not be solved for
    std::int32_t reason = 0;

    void note(double e, std::int32_t constraint)
    {
        if (e > error || (e == error && constraint < worst)) worst = constraint;
        error = std::max(error, e);
    }
    void fail(std::int32_t constraint, Reason why)
    {
        if (failed >= 0 && failed <= constraint) return;
        failed = constraint;
        reason = why;
    }
    void merge(std::span<const double> record)
    {
        note(record[0], static_cast<std::int32_t>(record[2]));
        growth = std::max(growth, record[1]);
        if (record[3] >= 0.0) fail(static_cast<std::int32_t>(record[3]), static_cast<Reason>(record[4]));
    }
    void write(std::span<double> record) const
    {
        record[0] = error;
        record[1] = growth;
        record[2] = worst;
        record[3] = failed;
        record[4] = reason;
    }
};

} // namespace holon::newton
