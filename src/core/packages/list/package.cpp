#include "core/packages/list/package.h"

#include <algorithm>

namespace muster::packages {
namespace {

constexpr std::string_view word_signs = "+-._~^:@()";

bool is_letter(char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z');
}
bool is_digit(char sign) {
    return sign >= '0' && sign <= '9';
}
bool is_part(char sign) {
    return is_letter(sign) || is_digit(sign) || word_signs.contains(sign);
}

result<void> check_part(std::string_view what, std::string_view text, std::size_t bytes_max) {
    if (text.size() > bytes_max)
        return fail(errc::invalid, "package " + std::string(what) + " is too long");
    if (!std::ranges::all_of(text, is_part))
        return fail(errc::invalid, "package " + std::string(what) + " has an invalid character");
    return {};
}

bool is_for_all(std::string_view arch) {
    return arch == "noarch" || arch == "all";
}

}  // namespace

std::string_view to_string(family which) {
    return which == family::rpm ? "rpm" : "deb";
}

std::optional<family> parse_family(std::string_view word) {
    if (word == "rpm") return family::rpm;
    if (word == "deb") return family::deb;
    return std::nullopt;
}

edition parse_edition(std::string_view text) {
    edition result;
    const auto colon = text.find(':');
    if (colon != std::string_view::npos) {
        result.epoch = text.substr(0, colon);
        if (result.epoch.find_first_not_of('0') == std::string::npos) result.epoch.clear();
        text.remove_prefix(colon + 1);
    }
    const auto hyphen = text.rfind('-');
    result.version = text.substr(0, hyphen);
    if (hyphen != std::string_view::npos) result.release = text.substr(hyphen + 1);
    return result;
}

std::string to_string(const edition& edition) {
    std::string result = edition.epoch.empty() ? "" : edition.epoch + ":";
    result += edition.version;
    if (!edition.release.empty()) result += "-" + edition.release;
    return result;
}

result<void> check(const package& package) {
    if (package.name.empty() || package.at.version.empty())
        return fail(errc::invalid, "package has no name or no version");
    // A name that begins with a hyphen would be an option of the program that gets it.
    if (!is_letter(package.name.front()) && !is_digit(package.name.front())
        && package.name.front() != '_')
        return fail(errc::invalid, "package name starts with an invalid character");
    CHECK_OK(check_part("name", package.name, package_limits::name_bytes_max));
    CHECK_OK(check_part("version", package.at.version, package_limits::version_bytes_max));
    CHECK_OK(check_part("release", package.at.release, package_limits::version_bytes_max));
    CHECK_OK(check_part("architecture", package.arch, package_limits::arch_bytes_max));
    if (package.at.epoch.size() > package_limits::epoch_digits_max
        || !std::ranges::all_of(package.at.epoch, is_digit))
        return fail(errc::invalid, "package epoch is not a number");
    return {};
}

bool fits_arch(std::string_view name, std::string_view other) {
    return name == other || is_for_all(name) || is_for_all(other);
}

}  // namespace muster::packages
