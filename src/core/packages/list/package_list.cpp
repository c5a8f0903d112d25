#include "core/packages/list/package_list.h"

#include <algorithm>
#include <utility>

namespace muster::packages {
namespace {

constexpr std::string_view heading = "packages ";

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> result;
    while (true) {
        const auto end = text.find(at);
        result.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return result;
        text.remove_prefix(end + 1);
    }
}

std::unexpected<error> wrong_line(std::size_t number, const std::string& why) {
    return fail(errc::invalid, "package list line " + std::to_string(number) + ": " + why);
}

result<void> check_size(std::string_view text) {
    if (text.size() <= list_limits::bytes_max) return {};
    return fail(
        errc::invalid,
        "package list exceeds the limit of " + std::to_string(list_limits::bytes_max) + " bytes");
}

// Takes a line off the front.
std::string_view take_line(std::string_view& text) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

result<package> read_line(std::string_view line) {
    const auto cells = split(line, '\t');
    if (cells.size() != 5) return fail(errc::invalid, "expected 5 fields");
    package result{
        .name = std::string(cells[0]),
        .at =
            {.epoch = std::string(cells[1]),
             .version = std::string(cells[2]),
             .release = std::string(cells[3])},
        .arch = std::string(cells[4])};
    CHECK_OK(check(result));
    return result;
}

// Nothing: a package that is not there, such as one whose settings alone are left.
result<std::optional<package>> read_told(family kind, std::string_view line) {
    const auto cells = split(line, '\t');
    package result;
    if (kind == family::deb) {
        if (cells.size() != 4) return fail(errc::invalid, "expected 4 fields");
        if (!cells[0].starts_with("ii") && !cells[0].starts_with("hi")) return std::nullopt;
        result = {
            .name = std::string(cells[1]),
            .at = parse_edition(cells[2]),
            .arch = std::string(cells[3])};
    } else {
        if (cells.size() != 5) return fail(errc::invalid, "expected 5 fields");
        if (cells[0] == "gpg-pubkey") return std::nullopt;
        const bool none = cells[1] == "(none)" || cells[1] == "0";
        result = {
            .name = std::string(cells[0]),
            .at =
                {.epoch = std::string(none ? "" : cells[1]),
                 .version = std::string(cells[2]),
                 .release = std::string(cells[3])},
            .arch = std::string(cells[4])};
    }
    CHECK_OK(check(result));
    return result;
}

}  // namespace

package_list make_list(family kind, std::vector<package> all) {
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);
    all.erase(twice.begin(), twice.end());
    return {.kind = kind, .all = std::move(all)};
}

std::string to_text(const package_list& package_list) {
    std::string result(heading);
    result += to_string(package_list.kind);
    result += '\n';
    for (const auto& each : package_list.all) {
        for (const auto* part :
             {&each.name, &each.at.epoch, &each.at.version, &each.at.release, &each.arch}) {
            result += *part;
            result += part == &each.arch ? '\n' : '\t';
        }
    }
    return result;
}

result<package_list> parse_list(std::string_view text) {
    CHECK_OK(check_size(text));
    if (!text.ends_with('\n')) return fail(errc::invalid, "package list is truncated");
    const auto first = take_line(text);
    const auto kind = first.starts_with(heading) ? parse_family(first.substr(heading.size()))
                                                 : std::optional<family>();
    if (!kind) return wrong_line(1, "expected the package family rpm or deb");
    package_list result{.kind = *kind};
    for (std::size_t number = 2; !text.empty(); ++number) {
        auto read = read_line(take_line(text));
        if (!read) return wrong_line(number, read.error().detail());
        if (!result.all.empty() && !(result.all.back() < *read))
            return wrong_line(number, "packages are not in ascending order");
        if (result.all.size() == list_limits::packages_max)
            return wrong_line(
                number,
                "limit of " + std::to_string(list_limits::packages_max) + " packages exceeded");
        result.all.push_back(*std::move(read));
    }
    return result;
}

result<package_list> parse_told(family kind, std::string_view text) {
    CHECK_OK(check_size(text));
    std::vector<package> match;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto line = take_line(text);
        if (line.empty()) continue;
        auto read = read_told(kind, line);
        if (!read) return wrong_line(number, read.error().detail());
        if (!*read) continue;
        if (match.size() == list_limits::packages_max)
            return wrong_line(
                number,
                "limit of " + std::to_string(list_limits::packages_max) + " packages exceeded");
        match.push_back(**std::move(read));
    }
    return make_list(kind, std::move(match));
}

}  // namespace muster::packages
