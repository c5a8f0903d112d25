#include "core/access/account_rules.h"

#include <algorithm>
#include <string>

namespace muster::access {
namespace {

bool is_letter_or_digit(char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z')
           || (each >= '0' && each <= '9');
}

bool is_control(char each) {
    constexpr unsigned char space = 0x20;
    constexpr unsigned char rubout = 0x7f;
    const auto byte = static_cast<unsigned char>(each);
    return byte < space || byte == rubout;
}

struct name_kind {
    std::string_view what;
    std::size_t bytes_max;
};

result<void> check_name(std::string_view name, name_kind kind) {
    const std::string text(kind.what);
    if (name.empty()) return fail(errc::invalid, text + " is empty");
    if (name.size() > kind.bytes_max)
        return fail(
            errc::invalid, text + " is longer than " + std::to_string(kind.bytes_max) + " bytes");
    const auto fits = [](char each) {
        return is_letter_or_digit(each) || each == '.' || each == '_' || each == '-' || each == '@';
    };
    if (!std::ranges::all_of(name, fits) || !is_letter_or_digit(name.front()))
        return fail(
            errc::invalid,
            text + " must have only letters, digits and . _ - @, and start with a letter or digit");
    return {};
}

std::string lower(std::string_view text) {
    std::string folded(text);
    for (char& each : folded) {
        if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    }
    return folded;
}

// Of UTF-8: bytes that continue a character do not count.
std::size_t characters_in(std::string_view text) {
    constexpr unsigned char continuation_mask = 0xc0;
    constexpr unsigned char continuation = 0x80;
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char each) {
        return (static_cast<unsigned char>(each) & continuation_mask) != continuation;
    }));
}

std::string without(std::string text, const std::string& part) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at))
        text.erase(at, part.size());
    return text;
}

}  // namespace

result<void> check_user_name(std::string_view name) {
    return check_name(name, {.what = "user name", .bytes_max = user_name_bytes_max});
}

result<void> check_role_name(std::string_view name) {
    return check_name(name, {.what = "role name", .bytes_max = role_name_bytes_max});
}

result<void> check_account_text(std::string_view what, std::string_view text) {
    if (text.size() > account_text_bytes_max)
        return fail(
            errc::invalid,
            std::string(what) + " is longer than " + std::to_string(account_text_bytes_max)
                + " bytes");
    if (std::ranges::any_of(text, is_control))
        return fail(
            errc::invalid, std::string(what) + " must be a single line without control characters");
    return {};
}

result<void> check_new_password(std::string_view password, std::string_view user) {
    const auto least = std::to_string(password_characters_min);
    if (characters_in(password) < password_characters_min)
        return fail(errc::invalid, "password has fewer than " + least + " characters");
    if (password.size() > password_length_bytes_max)
        return fail(
            errc::invalid,
            "password is longer than " + std::to_string(password_length_bytes_max) + " bytes");
    if (user.empty()) return {};
    const auto rest = without(lower(password), lower(user));
    if (rest.size() < password.size() && characters_in(rest) < password_characters_min)
        return fail(
            errc::invalid,
            "password is too similar to the user name: fewer than " + least
                + " characters remain without the user name");
    return {};
}

}  // namespace muster::access
