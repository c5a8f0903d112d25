#include "services/windows/window_store.h"

#include "services/windows/window_tables.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::windows {
namespace {

constexpr std::size_t page_rows = 200;
constexpr auto look_interval = std::chrono::milliseconds(2'000);

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
    const std::lock_guard lock(guard_);
    return current_;
}

// What a record says that cannot be understood stays as it was.
void window_store::apply(const std::vector<window_record>& rows, window_snapshot& to) {
    for (const auto& row : rows) {
        const auto applied = to.apply(row, deps_.zones);
        if (applied) continue;
        const auto name = std::string(to_string(row.kind)) + " \"" + row.name + "\"";
        rows_.rows().report_unreadable(row.sequence, applied.error().within(name));
    }
}

void window_store::apply(const std::vector<window_record>& rows) {
    const std::lock_guard lock(guard_);
    auto next = std::make_shared<window_snapshot>(*reading_);
    apply(rows, *next);
    reading_ = next;
    if (current_) current_ = std::move(next);
}

async<void> window_store::catch_up() {
    CO_CHECK_OK(co_await rows_.refresh());
    const std::lock_guard lock(guard_);
    current_ = reading_;
    co_return result<void>();
}

async<void> window_store::read_anew() {
    const auto fresh = std::make_shared<window_snapshot>();
    CO_TRY(const auto up_to, co_await rows_.read_all([&](const std::vector<window_record>& rows) {
        apply(rows, *fresh);
    }));
    const std::lock_guard lock(guard_);
    rows_.rows().restart_at(up_to);
    reading_ = fresh;
    current_ = fresh;
    co_return result<void>();
}

async<std::shared_ptr<const window_snapshot>> window_store::newest() {
    CO_CHECK_OK(co_await catch_up());
    co_return current();
}

window_record window_store::next_row(
    const window_snapshot& now, record_kind kind, std::string name, std::string by) const {
    const auto version = now.version_of(kind, name) + 1;
    return {
        .kind = kind,
        .name = std::move(name),
        .document = {},
        .members = {},
        .version = version,
        .changed_by = std::move(by),
        .changed = deps_.clock.wall(),
        .sequence = 0};
}

// A write that may have happened is looked up: the row carries who wrote it and when.
async<void> window_store::write(std::vector<window_record> rows) {
    table::write change{
        .table = std::string(window_records_table),
        .rows = {},
        .existing = table::replace_if_grows{"version"}};
    for (const auto& row : rows) change.rows.push_back(encode(row));
    table::batch batch;
    batch.writes.push_back(std::move(change));
    const auto done = co_await deps_.ledger.write(std::move(batch));
    if (done && done->kept == 0) {
        apply(rows);
        co_return result<void>();
    }
    if (!done && done.error().code() != errc::timed_out) co_return fail(done.error());
    const auto now = co_await newest();
    if (!now)
        co_return done ? fail(errc::conflict, "somebody else changed it") : fail(done.error());
    const bool ours = std::ranges::all_of(rows, [&](const window_record& window) {
        const auto* const stands = (*now)->row_of(window.kind, window.name);
        return stands != nullptr && stands->version == window.version
               && stands->changed_by == window.changed_by && stands->changed == window.changed;
    });
    if (!done && ours) co_return result<void>();
    co_return fail(errc::conflict, "somebody else changed it at the same time");
}

async<void> window_store::put(
    record_kind kind, std::string name, std::string document, writing how, std::string by) {
    CO_CHECK_OK(check_record_name("its name", name));
    CO_TRY(const auto now, co_await newest());
    const auto version = now->version_of(kind, name);
    const bool there = version > 0 && !now->is_removed(kind, name);
    if (how == writing::new_one && there)
        co_return fail(errc::conflict, "there is one named " + name + " already");
    if (how == writing::replacement && !there)
        co_return fail(errc::not_found, "there is none named " + name);
    if (!there && now->count(kind) >= record_limits::records_max)
        co_return fail(errc::conflict, "there are 10000 of its kind already");
    auto row = next_row(*now, kind, std::move(name), std::move(by));
    row.document = std::move(document);
    std::vector<window_record> rows;
    rows.push_back(std::move(row));
    co_return co_await write(std::move(rows));
}

async<void> window_store::put_calendar(
    std::string label, stored_calendar stored_calendar, writing writing, std::string by) {
    CO_TRY(const auto read, calendar::parse(stored_calendar.text, deps_.zones));
    static_cast<void>(read);
    co_return co_await put(
        record_kind::calendar, std::move(label), encode(stored_calendar), writing, std::move(by));
}

async<bool> window_store::note_fetched(
    std::string label, stored_calendar stored_calendar, std::int64_t version, std::string by) {
    CO_TRY(const auto read, calendar::parse(stored_calendar.text, deps_.zones));
    static_cast<void>(read);
    CO_TRY(const auto now, co_await newest());
    const auto kind = record_kind::calendar;
    if (now->version_of(kind, label) != version || now->is_removed(kind, label)) co_return false;
    auto row = next_row(*now, kind, std::move(label), std::move(by));
    row.document = encode(stored_calendar);
    std::vector<window_record> rows;
    rows.push_back(std::move(row));
    const auto written = co_await write(std::move(rows));
    if (!written && written.error().code() != errc::conflict) co_return fail(written.error());
    co_return written.has_value();
}

async<void> window_store::put_maintenance(
    std::string name,
    maintenance_schedule_record maintenance_schedule,
    writing writing,
    std::string by) {
    CO_TRY(const auto now, co_await newest());
    if (maintenance_schedule.type != "single" && maintenance_schedule.type != "multi"
        && maintenance_schedule.type != "none")
        co_return fail(errc::invalid, "`type` is single, multi or none");
    if (maintenance_schedule.type == "none" && !maintenance_schedule.calendar.empty())
        co_return fail(
            errc::invalid,
            "a schedule of the type none has no calendar; with one it is single or multi");
    if (!maintenance_schedule.calendar.empty()) {
        const auto it = now->calendars.find(maintenance_schedule.calendar);
        if (it == now->calendars.end())
            co_return fail(errc::invalid, "there is no calendar " + maintenance_schedule.calendar);
        if (maintenance_schedule.type == "multi" && !it->second.read->names().contains(name))
            co_return fail(
                errc::invalid,
                "no event of the calendar " + maintenance_schedule.calendar + " has the summary "
                    + name + "; a multi schedule is named like its events");
    }
    co_return co_await put(
        record_kind::maintenance,
        std::move(name),
        encode(maintenance_schedule),
        writing,
        std::move(by));
}

async<void> window_store::put_schedule(
    std::string name, stored_schedule stored_schedule, writing writing, std::string by) {
    CO_TRY(const auto when, schedules::parse_timing(stored_schedule.timing, deps_.zones));
    static_cast<void>(when);
    CO_TRY(const auto missed, schedules::parse_missed_runs(stored_schedule.missed));
    static_cast<void>(missed);
    co_return co_await put(
        record_kind::schedule, std::move(name), encode(stored_schedule), writing, std::move(by));
}

async<void> window_store::put_policy(stored_policy stored_policy, std::string by) {
    co_return co_await put(
        record_kind::policy, "windows", encode(stored_policy), writing::either, std::move(by));
}

async<void> window_store::remove(record_kind kind, std::string name, std::string by) {
    CO_TRY(const auto now, co_await newest());
    if (now->version_of(kind, name) == 0 || now->is_removed(kind, name))
        co_return fail(errc::not_found, "there is none named " + name);
    if (kind == record_kind::calendar) {
        for (const auto& [schedule, kept] : now->maintenance)
            if (kept.stored.calendar == name)
                co_return fail(errc::conflict, "the schedule " + schedule + " uses it");
    }
    if (kind == record_kind::maintenance && !now->systems_of(name).empty())
        co_return fail(
            errc::conflict,
            std::to_string(now->systems_of(name).size())
                + " systems have it; unassign them or give them another one first");
    std::vector<window_record> rows;
    rows.push_back(next_row(*now, kind, std::move(name), std::move(by)));
    co_return co_await write(std::move(rows));
}

async<std::size_t> window_store::assign(
    std::string schedule, fleet::system_set systems, std::string by) {
    CO_TRY(const auto now, co_await newest());
    if (!schedule.empty() && !now->maintenance.contains(schedule))
        co_return fail(errc::not_found, "there is no maintenance schedule " + schedule);
    std::size_t changed = 0;
    for (auto rest = std::move(systems); !rest.empty();) {
        const auto part = rest.smallest()->value() / systems_per_part;
        const auto those = fleet::system_set::range(
            system_number(part * systems_per_part),
            system_number((part + 1) * systems_per_part - 1));
        const auto chosen = rest & those;
        rest -= those;
        CO_TRY(const auto moved, co_await assign_part(schedule, chosen, by));
        changed += moved;
    }
    co_return changed;
}

async<std::size_t> window_store::assign_part(
    std::string schedule, fleet::system_set systems, std::string by) {
    constexpr int attempts_max = 5;
    for (int attempt = 1;; ++attempt) {
        CO_TRY(const auto now, co_await newest());
        auto name = part_name(*systems.smallest());
        const auto before = now->parts.find(name);
        auto sets = before == now->parts.end() ? assignment() : *before->second.sets;
        std::size_t moved = 0;
        for (auto& [other, members] : sets) {
            if (other == schedule) continue;
            moved += members.common_with(systems);
            members -= systems;
        }
        if (!schedule.empty()) sets[schedule] |= systems;
        auto row = next_row(*now, record_kind::assignment, std::move(name), by);
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

async<bool> window_store::note_considered(
    std::string schedule, wall_time considered, std::string by) {
    CO_TRY(const auto now, co_await newest());
    const auto it = now->schedules.find(schedule);
    if (it == now->schedules.end() || it->second.stored.considered >= considered) co_return false;
    auto what = it->second.stored;
    what.considered = considered;
    // From the very row that was looked at: whoever else looked at it loses.
    auto row = next_row(*now, record_kind::schedule, std::move(schedule), std::move(by));
    row.document = encode(what);
    std::vector<window_record> rows;
    rows.push_back(std::move(row));
    const auto written = co_await write(std::move(rows));
    if (!written && written.error().code() != errc::conflict) co_return fail(written.error());
    co_return written.has_value();
}

}  // namespace muster::windows
