#include "roles/fleet/system_row.h"

#include "core/lifecycle/words.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace muster::fleet {
namespace {

// Takes the cells of a row in order, and remembers the first that is not what it must be.
class cell_reader {
public:
    explicit cell_reader(const table::row& cells) : cells_(cells) {}

    template <class T>
    T take(std::string_view column) {
        const auto* const held = at_ < cells_.size() ? std::get_if<T>(&cells_[at_]) : nullptr;
        ++at_;
        if (held == nullptr) mark_wrong(column);
        return held == nullptr ? T() : *held;
    }

    std::optional<wall_time> take_optional_time(std::string_view column) {
        if (at_ < cells_.size() && std::holds_alternative<table::null>(cells_[at_])) {
            ++at_;
            return std::nullopt;
        }
        return take<wall_time>(column);
    }

    std::vector<std::string> take_words(std::string_view column) {
        return lifecycle::split_words(take<std::string>(column));
    }

    system_number take_number(std::string_view column) {
        const auto value = take<std::int64_t>(column);
        if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) mark_wrong(column);
        return system_number(value);
    }

    void mark_wrong(std::string_view column) {
        if (wrong_.empty()) wrong_ = column;
    }

    result<void> finish() {
        if (at_ != cells_.size()) mark_wrong("number of columns");
        if (wrong_.empty()) return {};
        return fail(errc::corrupt, "`" + wrong_ + "` of a row of `systems` is wrong");
    }

private:
    const table::row& cells_;
    std::size_t at_ = 0;
    std::string wrong_;
};

fingerprint take_print(cell_reader& cells) {
    const auto raw = cells.take<table::blob>("fingerprint").content;
    fingerprint::bytes_type bytes{};
    if (raw.size() == bytes.size()) {
        std::ranges::transform(
            raw, bytes.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
    } else {
        cells.mark_wrong("fingerprint");
    }
    return fingerprint(bytes);
}

}  // namespace

table::value key_cell(const fingerprint& print) {
    return table::blob{std::string(print.bytes().begin(), print.bytes().end())};
}

table::row encode_system(const system_record& record, wall_time changed) {
    return {
        key_cell(record.print),
        table::blob{record.public_key},
        record.name,
        record.machine_id,
        std::string(to_string(record.stage)),
        record.number.value(),
        record.zone,
        lifecycle::join_words(record.tags),
        lifecycle::join_words(record.groups),
        record.origin,
        record.enrolled,
        record.accepted ? table::value(*record.accepted) : table::value(table::null()),
        record.accepted_by,
        record.replaces.value(),
        record.unregistered,
        record.version,
        changed};
}

result<stored_system> decode_system(const table::row& cells) {
    cell_reader in(cells);
    system_record record{.print = take_print(in)};
    record.public_key = in.take<table::blob>("public_key").content;
    record.name = in.take<std::string>("name");
    record.machine_id = in.take<std::string>("machine_id");
    const auto stage = parse_enrolment(in.take<std::string>("stage"));
    if (!stage) in.mark_wrong("stage");
    record.stage = stage.value_or(enrolment::evicted);
    record.number = in.take_number("number");
    record.zone = in.take<std::string>("zone");
    record.tags = in.take_words("tags");
    record.groups = in.take_words("groups");
    record.origin = in.take<std::string>("origin");
    record.enrolled = in.take<wall_time>("enrolled");
    record.accepted = in.take_optional_time("accepted");
    record.accepted_by = in.take<std::string>("accepted_by");
    record.replaces = in.take_number("replaces");
    record.unregistered = in.take_number("unregistered").value();
    record.version = in.take<std::int64_t>("version");
    if (record.version < 1) in.mark_wrong("version");
    const auto changed = in.take<wall_time>("changed");
    const auto sequence = in.take<std::int64_t>("sequence");
    CHECK_OK(in.finish());
    return stored_system{.record = std::move(record), .changed = changed, .sequence = sequence};
}

}  // namespace muster::fleet
