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

std::optional<record_kind> kind_named(std::string_view word) {
    for (const auto& [kind, name] : kinds)
        if (name == word) return kind;
    return std::nullopt;
}

void append_sized(std::string& to, std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    for (const int shift : {24, 16, 8, 0}) to += static_cast<char>((size >> shift) & 0xFFU);
    to += text;
}

std::optional<std::string_view> take_sized(std::string_view& from) {
    if (from.size() < 4) return std::nullopt;
    std::uint32_t size = 0;
    for (const char each : from.substr(0, 4)) size = (size << 8U) | static_cast<std::uint8_t>(each);
    from.remove_prefix(4);
    if (size > from.size()) return std::nullopt;
    const auto reserved = from.substr(0, size);
    from.remove_prefix(size);
    return reserved;
}

}  // namespace

std::string_view to_string(record_kind kind) {
    for (const auto& [each, name] : kinds)
        if (each == kind) return name;
    return {};
}

table::row encode(const window_record& window) {
    return {
        std::string(to_string(window.kind)),
        window.name,
        window.document,
        table::blob{window.members},
        window.version,
        window.changed_by,
        window.changed};
}

result<window_record> decode_record(const table::row& cells) {
    table::row_reader in(window_records_table, cells);
    window_record read;
    const auto kind = kind_named(in.take<std::string>("kind"));
    if (!kind) in.mark_wrong("kind");
    read.kind = kind.value_or(record_kind::calendar);
    read.name = in.take<std::string>("name");
    read.document = in.take<std::string>("document");
    read.members = in.take<table::blob>("members").content;
    read.version = in.take<std::int64_t>("version");
    read.changed_by = in.take<std::string>("changed_by");
    read.changed = in.take<wall_time>("changed");
    read.sequence = in.take_sequence();
    CHECK_OK(in.finish());
    return read;
}

result<void> check_record_name(std::string_view text, std::string_view name) {
    const bool well = !name.empty() && name.size() <= record_limits::name_bytes_max
                      && std::ranges::none_of(
                          name,
                          [](char letter) {
                              return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
                          })
                      && name.front() != ' ' && name.back() != ' ';
    if (well) return {};
    return fail(
        errc::invalid,
        std::string(text) + " is a text of one line with 1 to 128 bytes, without spaces around it");
}

std::string part_name(system_number of) {
    return std::to_string(of.value() / systems_per_part);
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
    assignment read;
    while (!bytes.empty()) {
        const auto name = take_sized(bytes);
        const auto set = name ? take_sized(bytes) : std::nullopt;
        if (!set) return fail(errc::corrupt, "an assignment of schedules is cut short");
        auto systems = fleet::system_set::parse(*set);
        if (!systems) return fail(errc::corrupt, "an assignment holds what is no set of systems");
        read.insert_or_assign(std::string(*name), *std::move(systems));
    }
    return read;
}

}  // namespace muster::windows
