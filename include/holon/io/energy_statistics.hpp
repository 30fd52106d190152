#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holon {

/// Mean, fluctuation, drift and statistical error of a series, in one pass and little memory.
class SeriesStatistics {
public:
    void add(double time, double value); // times in order

    std::int64_t count() const { return n_; }
    double mean() const { return mean_; }
    double rms_fluctuation() const; // about the mean, with what drifts
    double drift() const;           // slope of the straight line that fits best, per unit of time

    /// Standard error of the mean: from the means of blocks of 2, 4, 8, ... values, the largest that 16 blocks or more
    /// give: it no longer grows where blocks are longer than what is correlated. H. Flyvbjerg, H. G. Petersen, J.
    /// Chem. Phys. 91, 461 (1989). None of less than 32 values.
    std::optional<double> error() const;

private:
    struct Level { // of blocks of 2^k values
        std::int64_t n = 0;
        double mean = 0.0, squares = 0.0; // sum of the squares of deviations
        double first_half = 0.0;          // of the next block of the level above
    };
    static constexpr std::int64_t fewest_blocks = 16;

    std::int64_t n_ = 0;
    double mean_ = 0.0, mean_time_ = 0.0;
    double squares_ = 0.0, time_squares_ = 0.0, products_ = 0.0; // of deviations
    std::vector<Level> levels_;
};

/// What the columns of energy.csv did over its rows.
struct EnergyStatistics {
    struct Column {
        std::string name;
        double mean = 0.0, rms_fluctuation = 0.0;
        double drift = 0.0; // per ps
        std::optional<double> error;
    };
    std::int64_t rows = 0, first_step = 0, last_step = 0;
    double first_time = 0.0, last_time = 0.0; // [ps]
    std::vector<Column> columns;

    const Column* find(const std::string& name) const; // nullptr: not there
};

/// Of all rows that the file has, those of earlier parts of the run included: what has been written is all it needs,
/// piece by piece. Failure, if it cannot be read or is not such a file.
EnergyStatistics energy_statistics(const std::string& path);

} // namespace holon
