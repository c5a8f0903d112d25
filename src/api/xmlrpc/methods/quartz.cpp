#include "api/xmlrpc/methods/quartz.h"

#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {
namespace {

constexpr std::size_t text_bytes_max = 256;
constexpr std::size_t cron_fields = 5;

struct field {
    const char* name = "";
    int last = 0;   // its largest value in cron
    int shift = 0;  // what Quartz counts more
};
constexpr std::array<field, cron_fields> fields{
    {{"minutes", 59}, {"hours", 23}, {"days", 31}, {"months", 12}, {"days of the week", 6, 1}}};

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    std::string name;
    for (const char each : text) {
        if (each != at) {
            name += each;
            continue;
        }
        if (at != ' ' || !name.empty()) parts.push_back(name);
        name.clear();
    }
    if (at != ' ' || !name.empty()) parts.push_back(name);
    return parts;
}

std::optional<int> number_in(std::string_view text) {
    int read = 0;
    const auto [stopped, failure] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (failure != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
    return read;
}

// A value or a range of them, each moved by so many; names and `*` stay.
std::string moved(std::string_view text, int by) {
    std::string result;
    for (const auto& each : split(text, '-')) {
        if (!result.empty()) result += '-';
        // Cron has two numbers for Sunday.
        auto number = number_in(each);
        if (by > 0 && number == 7) number = 0;
        result += number ? std::to_string(*number + by) : each;
    }
    return result;
}

result<std::string> item_of(const std::string& item, const field& of) {
    const bool special = item.find_first_of("LW#") != std::string::npos;
    const bool name = !item.empty() && std::isalpha(static_cast<unsigned char>(item.front())) != 0
                      && item.size() >= 3;
    if (special && !name)
        return fail(
            errc::invalid,
            "`cron_expr`: L, W and # among the " + std::string(of.name) + " are not known");
    const auto slash = item.find('/');
    auto from = moved(item.substr(0, slash), -of.shift);
    if (slash == std::string::npos) return from;
    const auto step = item.substr(slash + 1);
    if (from == "*" || from.find('-') != std::string::npos) return from + "/" + step;
    return from + "-" + std::to_string(of.last) + "/" + step;
}

result<std::string> field_of(const std::string& text, const field& of) {
    if (text == "?" || text == "*") return std::string("*");
    std::string result;
    for (const auto& each : split(text, ',')) {
        TRY(const auto item, item_of(each, of));
        if (!result.empty()) result += ',';
        result += item;
    }
    return result;
}

}  // namespace

result<std::string> cron_of_quartz(std::string_view text) {
    if (text.size() > text_bytes_max)
        return fail(errc::invalid, "`cron_expr` has at most 256 bytes");
    const auto input = split(text, ' ');
    if (input.size() == cron_fields) return std::string(text);
    if (input.size() != cron_fields + 1 && input.size() != cron_fields + 2)
        return fail(
            errc::invalid,
            "`cron_expr` has six fields: seconds, minutes, hours, day, month, day of the week");
    if (input.front() != "0") return fail(errc::invalid, "`cron_expr`: the seconds must be 0");
    if (input.size() == cron_fields + 2 && input.back() != "*")
        return fail(errc::invalid, "`cron_expr`: a year is not known; leave it out");
    std::string result;
    for (std::size_t n = 0; n < cron_fields; ++n) {
        TRY(const auto field, field_of(input[n + 1], fields.at(n)));
        result += (n == 0 ? "" : " ") + field;
    }
    return result;
}

std::string quartz_of_cron(std::string_view cron) {
    const auto input = split(cron, ' ');
    if (input.size() != cron_fields) return std::string(cron);
    std::string result = "0";
    for (std::size_t n = 0; n < cron_fields; ++n) {
        const auto& of = fields.at(n);
        std::string name;
        for (const auto& each : split(input[n], ',')) {
            const auto slash = each.find('/');
            if (!name.empty()) name += ',';
            name += moved(each.substr(0, slash), of.shift);
            if (slash != std::string::npos) name += each.substr(slash);
        }
        // One of both days is not given.
        const bool day = n == 2 && input[4] != "*" && input[2] == "*";
        const bool weekday = n == 4 && input[4] == "*";
        result += day || weekday ? " ?" : " " + name;
    }
    return result;
}

}  // namespace muster::xmlrpc_api
