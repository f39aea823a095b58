#pragma once

namespace stash::json_fields {

// A value of which 0 or "" means unknown: null in JSON.
template <class T>
struct Nullable {
  T& value;
};
template <class T>
inline constexpr bool is_nullable = false;
template <class T>
inline constexpr bool is_nullable<Nullable<T>> = true;

}  // namespace stash::json_fields
