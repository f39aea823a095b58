#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stash {

inline constexpr double kSecondsPerHour = 3600;

// Parsers throw UsageError, naming `option` and showing a valid spelling.
// GB is 1e9 bytes, GiB is 1024^3, Gbit is 1e9 bits.
double parse_duration_s(std::string_view text, std::string_view option);   // 120s 30ms 5us 2m 1.5h
double parse_ratio(std::string_view text, std::string_view option);        // 2% 0.02
double parse_usd(std::string_view text, std::string_view option);          // 500 $500 499.50USD 5usd; above 0
double parse_usd_or_0(std::string_view text, std::string_view option);     // the same, or 0
double parse_bytes_per_s(std::string_view text, std::string_view option);  // 20MB/s 1Gbit/s 1.5GiB/s
std::int64_t parse_bytes(std::string_view text, std::string_view option);  // 110kB 2GiB 25MB 512

std::string format_duration(double s);         // "412 µs", "37.2 ms", "1.94 s", "12 min"
std::string duration_at_least(double s);       // the same, rounded up: a threshold that still holds
std::string format_bytes(double bytes);        // "110 kB", "1.2 GB"
std::string format_count(std::int64_t count);  // "25,557,032"

}  // namespace stash
