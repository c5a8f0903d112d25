#include "services/windows/window_store.h"

#include "services/windows/window_tables.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::windows {
namespace {

constexpr std::size_t page_rows = 200;
constexpr auto look_interval = std::chrono::milliseconds(2'000);

// For errors: `maintenance schedule "web"`.
std::string describe(record_kind kind, const std::string& name) {
    if (kind == record_kind::maintenance) return "maintenance schedule \"" + name + "\"";
    if (kind == record_kind::assignment) return "maintenance schedule assignment \"" + name + "\"";
    return std::string(to_string(kind)) + " \"" + name + "\"";
}

std::unexpected<error> modified_concurrently(const std::vector<window_record>& rows) {
    return fail(
        errc::conflict,
        describe(rows.front().kind, rows.front().name) + " was modified concurrently; retry");
}

}  // namespace

window_store::window_store(dependencies deps)
    : deps_(std::move(deps)),
      rows_(
          {.ledger = deps_.ledger, .clock = deps_.clock, .log = deps_.log},
          {.table = std::string(window_records_table),
           .page_rows = page_rows,
           .wait_max = look_interval},
          &decode_record,
          [this](const std::vector<window_record>& rows) { apply(rows); }) {}

std::shared_ptr<const window_snapshot> window_store::current() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

// Skips unreadable rows: the snapshot keeps the previous record.
void window_store::apply(const std::vector<window_record>& rows, window_snapshot& snapshot) {
    for (const auto& row : rows) {
        const auto applied = snapshot.apply(row, deps_.zones);
        if (applied) continue;
        const auto name = std::string(to_string(row.kind)) + " \"" + row.name + "\"";
        rows_.rows().report_unreadable(row.sequence, applied.error().with_context(name));
    }
}

void window_store::apply(const std::vector<window_record>& rows) {
    const std::lock_guard lock(mutex_);
    auto next = std::make_shared<window_snapshot>(*loaded_);
    apply(rows, *next);
    loaded_ = next;
    if (current_) current_ = std::move(next);
}

async<void> window_store::refresh() {
    CO_CHECK_OK(co_await rows_.refresh());
    const std::lock_guard lock(mutex_);
    current_ = loaded_;
    co_return result<void>();
}

async<void> window_store::reload() {
    const auto snapshot = std::make_shared<window_snapshot>();
    CO_TRY(
        const auto sequence, co_await rows_.read_all([&](const std::vector<window_record>& rows) {
            apply(rows, *snapshot);
        }));
    const std::lock_guard lock(mutex_);
    rows_.rows().restart_at(sequence);
    loaded_ = snapshot;
    current_ = snapshot;
    co_return result<void>();
}

async<std::shared_ptr<const window_snapshot>> window_store::read_newest() {
    CO_CHECK_OK(co_await refresh());
    co_return current();
}

window_record window_store::next_row(
    const window_snapshot& snapshot, record_kind kind, std::string name, std::string actor) const {
    const auto version = snapshot.version_of(kind, name) + 1;
    return {
        .kind = kind,
        .name = std::move(name),
        .document = {},
        .members = {},
        .version = version,
        .changed_by = std::move(actor),
        .changed = deps_.clock.wall(),
        .sequence = 0};
}

// After a timeout, reads the rows to see whether the write happened: author and time identify it.
async<void> window_store::write(std::vector<window_record> rows) {
    table::write change{
        .table = std::string(window_records_table),
        .rows = {},
        .existing = table::replace_if_grows{"version"}};
    for (const auto& row : rows) change.rows.push_back(encode(row));
    table::batch batch;
    batch.writes.push_back(std::move(change));
    const auto outcome = co_await deps_.ledger.write(std::move(batch));
    if (outcome && outcome->kept == 0) {
        apply(rows);
        co_return result<void>();
    }
    if (!outcome && outcome.error().code() != errc::timed_out) co_return fail(outcome.error());
    const auto snapshot = co_await read_newest();
    if (!snapshot) co_return outcome ? modified_concurrently(rows) : fail(outcome.error());
    const bool ours = std::ranges::all_of(rows, [&](const window_record& row) {
        const auto* const stored = (*snapshot)->row_of(row.kind, row.name);
        return stored != nullptr && stored->version == row.version
               && stored->changed_by == row.changed_by && stored->changed == row.changed;
    });
    if (!outcome && ours) co_return result<void>();
    co_return modified_concurrently(rows);
}

async<void> window_store::put(
    record_kind kind, std::string name, std::string document, write_mode mode, std::string actor) {
    CO_CHECK_OK(check_record_name("name", name));
    CO_TRY(const auto snapshot, co_await read_newest());
    const auto version = snapshot->version_of(kind, name);
    const bool exists = version > 0 && !snapshot->is_removed(kind, name);
    if (mode == write_mode::create && exists)
        co_return fail(errc::conflict, describe(kind, name) + " already exists");
    if (mode == write_mode::replace && !exists)
        co_return fail(errc::not_found, describe(kind, name) + " not found");
    if (!exists && snapshot->count(kind) >= record_limits::records_max)
        co_return fail(
            errc::conflict,
            "limit of " + std::to_string(record_limits::records_max) + " "
                + std::string(to_string(kind)) + " records reached");
    auto row = next_row(*snapshot, kind, std::move(name), std::move(actor));
    row.document = std::move(document);
    std::vector<window_record> rows;
    rows.push_back(std::move(row));
    co_return co_await write(std::move(rows));
}

async<void> window_store::put_calendar(
    std::string label, stored_calendar calendar, write_mode mode, std::string actor) {
    CO_TRY(const auto parsed, calendar::parse(calendar.text, deps_.zones));
    static_cast<void>(parsed);
    co_return co_await put(
        record_kind::calendar, std::move(label), encode(calendar), mode, std::move(actor));
}

async<bool> window_store::put_fetched(
    std::string label, stored_calendar calendar, std::int64_t version, std::string actor) {
    CO_TRY(const auto parsed, calendar::parse(calendar.text, deps_.zones));
    static_cast<void>(parsed);
    CO_TRY(const auto snapshot, co_await read_newest());
    const auto kind = record_kind::calendar;
    if (snapshot->version_of(kind, label) != version || snapshot->is_removed(kind, label))
        co_return false;
    auto row = next_row(*snapshot, kind, std::move(label), std::move(actor));
    row.document = encode(calendar);
    std::vector<window_record> rows;
    rows.push_back(std::move(row));
    const auto written = co_await write(std::move(rows));
    if (!written && written.error().code() != errc::conflict) co_return fail(written.error());
    co_return written.has_value();
}

async<void> window_store::put_maintenance(
    std::string name, maintenance_schedule_record schedule, write_mode mode, std::string actor) {
    CO_TRY(const auto snapshot, co_await read_newest());
    if (schedule.type != "single" && schedule.type != "multi" && schedule.type != "none")
        co_return fail(errc::invalid, "`type` must be single, multi or none");
    if (schedule.type == "none" && !schedule.calendar.empty())
        co_return fail(
            errc::invalid,
            "a maintenance schedule of type none cannot have a calendar; use type single or multi");
    if (!schedule.calendar.empty()) {
        const auto it = snapshot->calendars.find(schedule.calendar);
        if (it == snapshot->calendars.end())
            co_return fail(errc::invalid, "calendar \"" + schedule.calendar + "\" not found");
        if (schedule.type == "multi" && !it->second.parsed->summaries().contains(name))
            co_return fail(
                errc::invalid,
                "calendar \"" + schedule.calendar + "\" has no event with the summary \"" + name
                    + "\"; name a multi schedule like its events");
    }
    co_return co_await put(
        record_kind::maintenance, std::move(name), encode(schedule), mode, std::move(actor));
}

async<void> window_store::put_schedule(
    std::string name, stored_schedule schedule, write_mode mode, std::string actor) {
    CO_TRY(const auto timing, schedules::parse_timing(schedule.timing, deps_.zones));
    static_cast<void>(timing);
    CO_TRY(const auto missed, schedules::parse_missed_runs(schedule.missed));
    static_cast<void>(missed);
    co_return co_await put(
        record_kind::schedule, std::move(name), encode(schedule), mode, std::move(actor));
}

async<void> window_store::put_policy(stored_policy policy, std::string actor) {
    co_return co_await put(
        record_kind::policy,
        "windows",
        encode(policy),
        write_mode::create_or_replace,
        std::move(actor));
}

async<void> window_store::remove(record_kind kind, std::string name, std::string actor) {
    CO_TRY(const auto snapshot, co_await read_newest());
    if (snapshot->version_of(kind, name) == 0 || snapshot->is_removed(kind, name))
        co_return fail(errc::not_found, describe(kind, name) + " not found");
    if (kind == record_kind::calendar) {
        for (const auto& [schedule, maintenance] : snapshot->maintenance)
            if (maintenance.stored.calendar == name)
                co_return fail(
                    errc::conflict,
                    describe(kind, name) + " is used by maintenance schedule \"" + schedule + "\"");
    }
    if (kind == record_kind::maintenance && !snapshot->systems_of(name).empty())
        co_return fail(
            errc::conflict,
            describe(kind, name) + " is assigned to "
                + std::to_string(snapshot->systems_of(name).size())
                + " systems; unassign the systems or assign another schedule first");
    std::vector<window_record> rows;
    rows.push_back(next_row(*snapshot, kind, std::move(name), std::move(actor)));
    co_return co_await write(std::move(rows));
}

async<std::size_t> window_store::assign(
    std::string schedule, fleet::system_set systems, std::string actor) {
    CO_TRY(const auto snapshot, co_await read_newest());
    if (!schedule.empty() && !snapshot->maintenance.contains(schedule))
        co_return fail(errc::not_found, "maintenance schedule \"" + schedule + "\" not found");
    std::size_t changed = 0;
    for (auto rest = std::move(systems); !rest.empty();) {
        const auto part = rest.smallest()->value() / systems_per_part;
        const auto part_systems = fleet::system_set::range(
            system_number(part * systems_per_part),
            system_number((part + 1) * systems_per_part - 1));
        const auto chosen = rest & part_systems;
        rest -= part_systems;
        CO_TRY(const auto moved, co_await assign_part(schedule, chosen, actor));
        changed += moved;
    }
    co_return changed;
}

async<std::size_t> window_store::assign_part(
    std::string schedule, fleet::system_set systems, std::string actor) {
    constexpr int attempts_max = 5;
    for (int attempt = 1;; ++attempt) {
        CO_TRY(const auto snapshot, co_await read_newest());
        auto name = part_name(*systems.smallest());
        const auto it = snapshot->parts.find(name);
        auto sets = it == snapshot->parts.end() ? assignment() : *it->second.sets;
        std::size_t moved = 0;
        for (auto& [other, members] : sets) {
            if (other == schedule) continue;
            moved += members.common_with(systems);
            members -= systems;
        }
        if (!schedule.empty()) sets[schedule] |= systems;
        auto row = next_row(*snapshot, record_kind::assignment, std::move(name), actor);
        row.document = "{}";
        row.members = encode_assignment(sets);
        std::vector<window_record> rows;
        rows.push_back(std::move(row));
        const auto written = co_await write(std::move(rows));
        if (written) co_return moved;
        if (written.error().code() != errc::conflict || attempt == attempts_max)
            co_return fail(written.error());
    }
}

async<bool> window_store::put_considered(
    std::string schedule, wall_time considered, std::string actor) {
    CO_TRY(const auto snapshot, co_await read_newest());
    const auto it = snapshot->schedules.find(schedule);
    if (it == snapshot->schedules.end() || it->second.stored.considered >= considered)
        co_return false;
    auto updated = it->second.stored;
    updated.considered = considered;
    // The new version follows the row read above, so only one of two servers succeeds.
    auto row = next_row(*snapshot, record_kind::schedule, std::move(schedule), std::move(actor));
    row.document = encode(updated);
    std::vector<window_record> rows;
    rows.push_back(std::move(row));
    const auto written = co_await write(std::move(rows));
    if (!written && written.error().code() != errc::conflict) co_return fail(written.error());
    co_return written.has_value();
}

}  // namespace muster::windows
