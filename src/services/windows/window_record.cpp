#include "services/windows/window_record.h"

#include "core/table/row_reader.h"
#include "services/windows/window_tables.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace muster::windows {
namespace {

constexpr std::array<std::pair<record_kind, std::string_view>, 5> kinds{
    {{record_kind::calendar, "calendar"},
     {record_kind::maintenance, "maintenance"},
     {record_kind::assignment, "assignment"},
     {record_kind::schedule, "schedule"},
     {record_kind::policy, "policy"}}};

std::optional<record_kind> parse_kind(std::string_view text) {
    for (const auto& [kind, name] : kinds)
        if (name == text) return kind;
    return std::nullopt;
}

void append_sized(std::string& bytes, std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>((size >> shift) & 0xFFU);
    bytes += text;
}

std::optional<std::string_view> take_sized(std::string_view& bytes) {
    if (bytes.size() < 4) return std::nullopt;
    std::uint32_t size = 0;
    for (const char byte : bytes.substr(0, 4))
        size = (size << 8U) | static_cast<std::uint8_t>(byte);
    bytes.remove_prefix(4);
    if (size > bytes.size()) return std::nullopt;
    const auto content = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return content;
}

}  // namespace

std::string_view to_string(record_kind kind) {
    for (const auto& [known_kind, name] : kinds)
        if (known_kind == kind) return name;
    return {};
}

table::row encode(const window_record& record) {
    return {
        std::string(to_string(record.kind)),
        record.name,
        record.document,
        table::blob{record.members},
        record.version,
        record.changed_by,
        record.changed};
}

result<window_record> decode_record(const table::row& row) {
    table::row_reader reader(window_records_table, row);
    window_record record;
    const auto kind = parse_kind(reader.take<std::string>("kind"));
    if (!kind) reader.mark_faulty("kind");
    record.kind = kind.value_or(record_kind::calendar);
    record.name = reader.take<std::string>("name");
    record.document = reader.take<std::string>("document");
    record.members = reader.take<table::blob>("members").content;
    record.version = reader.take<std::int64_t>("version");
    record.changed_by = reader.take<std::string>("changed_by");
    record.changed = reader.take<wall_time>("changed");
    record.sequence = reader.take_sequence();
    CHECK_OK(reader.finish());
    return record;
}

result<void> check_record_name(std::string_view text, std::string_view name) {
    const bool valid = !name.empty() && name.size() <= record_limits::name_bytes_max
                       && std::ranges::none_of(
                           name,
                           [](char letter) {
                               return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
                           })
                       && name.front() != ' ' && name.back() != ' ';
    if (valid) return {};
    return fail(
        errc::invalid,
        std::string(text) + " must be one line of 1 to 128 bytes without surrounding spaces");
}

std::string part_name(system_number system) {
    return std::to_string(system.value() / systems_per_part);
}

std::string encode_assignment(const assignment& assignment) {
    std::string bytes;
    for (const auto& [schedule, systems] : assignment) {
        if (systems.empty()) continue;
        append_sized(bytes, schedule);
        append_sized(bytes, systems.serialise());
    }
    return bytes;
}

result<assignment> decode_assignment(std::string_view bytes) {
    assignment sets;
    while (!bytes.empty()) {
        const auto name = take_sized(bytes);
        const auto set = name ? take_sized(bytes) : std::nullopt;
        if (!set) return fail(errc::corrupt, "maintenance schedule assignment is truncated");
        auto systems = fleet::system_set::parse(*set);
        if (!systems)
            return fail(
                errc::corrupt, "maintenance schedule assignment has an invalid set of systems");
        sets.insert_or_assign(std::string(*name), *std::move(systems));
    }
    return sets;
}

}  // namespace muster::windows
