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

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::string part;
    for (const char letter : text) {
        if (letter != separator) {
            part += letter;
            continue;
        }
        if (separator != ' ' || !part.empty()) parts.push_back(part);
        part.clear();
    }
    if (separator != ' ' || !part.empty()) parts.push_back(part);
    return parts;
}

std::optional<int> parse_number(std::string_view text) {
    int number = 0;
    const auto [stopped, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
    return number;
}

// Adds the offset to a value or to both ends of a range; names and `*` stay.
std::string shift_numbers(std::string_view text, int offset) {
    std::string result;
    for (const auto& part : split(text, '-')) {
        if (!result.empty()) result += '-';
        // Cron has two numbers for Sunday.
        auto number = parse_number(part);
        if (offset > 0 && number == 7) number = 0;
        result += number ? std::to_string(*number + offset) : part;
    }
    return result;
}

result<std::string> convert_item(const std::string& item, const field& field) {
    const bool special = item.find_first_of("LW#") != std::string::npos;
    const bool is_name = !item.empty()
                         && std::isalpha(static_cast<unsigned char>(item.front())) != 0
                         && item.size() >= 3;
    if (special && !is_name)
        return fail(
            errc::invalid,
            "`cron_expr`: L, W and # among the " + std::string(field.name) + " are not supported");
    const auto slash = item.find('/');
    auto start = shift_numbers(item.substr(0, slash), -field.shift);
    if (slash == std::string::npos) return start;
    const auto step = item.substr(slash + 1);
    if (start == "*" || start.find('-') != std::string::npos) return start + "/" + step;
    return start + "-" + std::to_string(field.last) + "/" + step;
}

result<std::string> convert_field(const std::string& text, const field& field) {
    if (text == "?" || text == "*") return std::string("*");
    std::string result;
    for (const auto& part : split(text, ',')) {
        TRY(const auto item, convert_item(part, field));
        if (!result.empty()) result += ',';
        result += item;
    }
    return result;
}

}  // namespace

result<std::string> quartz_to_cron(std::string_view text) {
    if (text.size() > text_bytes_max)
        return fail(errc::invalid, "`cron_expr` exceeds the limit of 256 bytes");
    const auto parts = split(text, ' ');
    if (parts.size() == cron_fields) return std::string(text);
    if (parts.size() != cron_fields + 1 && parts.size() != cron_fields + 2)
        return fail(
            errc::invalid,
            "`cron_expr` must have six fields: seconds, minutes, hours, day, month, day of the "
            "week");
    if (parts.front() != "0") return fail(errc::invalid, "`cron_expr`: seconds must be 0");
    if (parts.size() == cron_fields + 2 && parts.back() != "*")
        return fail(errc::invalid, "`cron_expr`: a year is not supported; remove it");
    std::string result;
    for (std::size_t index = 0; index < cron_fields; ++index) {
        TRY(const auto converted, convert_field(parts[index + 1], fields.at(index)));
        result += (index == 0 ? "" : " ") + converted;
    }
    return result;
}

std::string cron_to_quartz(std::string_view cron) {
    const auto parts = split(cron, ' ');
    if (parts.size() != cron_fields) return std::string(cron);
    std::string result = "0";
    for (std::size_t index = 0; index < cron_fields; ++index) {
        const auto& field = fields.at(index);
        std::string converted;
        for (const auto& part : split(parts[index], ',')) {
            const auto slash = part.find('/');
            if (!converted.empty()) converted += ',';
            converted += shift_numbers(part.substr(0, slash), field.shift);
            if (slash != std::string::npos) converted += part.substr(slash);
        }
        // Quartz needs `?` for one of both days.
        const bool day = index == 2 && parts[4] != "*" && parts[2] == "*";
        const bool weekday = index == 4 && parts[4] == "*";
        result += day || weekday ? " ?" : " " + converted;
    }
    return result;
}

}  // namespace muster::xmlrpc_api
