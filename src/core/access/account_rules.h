#pragma once

#include "base/result.h"

#include <cstddef>
#include <string_view>

namespace muster::access {

// What users and roles may be called and which passwords they may choose. Each refusal is
// errc::invalid and says which rule is broken.

inline constexpr std::size_t user_name_bytes_max = 128;
inline constexpr std::size_t role_name_bytes_max = 64;
inline constexpr std::size_t account_text_bytes_max = 256;  // full names, addresses, purposes
inline constexpr std::size_t password_characters_min = 12;
inline constexpr std::size_t password_length_bytes_max = 1024;

// Letters, digits and . _ - @, a letter or a digit first: it stands in keys and in addresses.
result<void> check_user_name(std::string_view name);
result<void> check_role_name(std::string_view name);

// One line for people. `what` names it in the refusal.
result<void> check_account_text(std::string_view what, std::string_view text);

// At least password_characters_min characters, also without the user's name in it.
result<void> check_new_password(std::string_view password, std::string_view user);

}  // namespace muster::access
