#pragma once

#include <array>
#include <span>
#include <string_view>

namespace stash {

// What --format chooses from. Every command has some of them, text first.
enum class Format { text, json, csv, markdown, openmetrics, html, trace };
std::string_view to_string(Format format);

inline constexpr std::array kListFormats{Format::text, Format::json, Format::csv};
inline constexpr std::array kSharingFormats{Format::text, Format::json, Format::html};
inline constexpr std::array kPageFormats{Format::text, Format::json, Format::csv, Format::html};
inline constexpr std::array kDifferenceFormats{Format::text, Format::json, Format::csv, Format::markdown, Format::html};
inline constexpr std::array kReportFormats{Format::text,        Format::json, Format::csv,  Format::markdown,
                                           Format::openmetrics, Format::html, Format::trace};

// One of `formats`; UsageError names the nearest of them.
Format parse_format(std::string_view name, std::span<const Format> formats);

}  // namespace stash
