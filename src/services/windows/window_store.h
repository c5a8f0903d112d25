#pragma once

#include "core/windows/time_zone.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/windows/window_snapshot.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace muster::windows {

// Reads and writes calendars, maintenance schedules, assignments and recurring schedules. Follows
// the ledger table and caches a snapshot. A change is visible at once on this server, and a moment
// later on others. Thread-safe except for run().
class window_store {
public:
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        time_zone_source zones;
        runtime::logger& log;
    };

    explicit window_store(dependencies deps);
    window_store(const window_store&) = delete;
    window_store& operator=(const window_store&) = delete;

    // Follows the records until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return refresh(); });
    }

    // Reads what is new now. For whoever needs the newest, and for tests.
    async<void> refresh();
    // Forgets what is in memory and reads everything.
    async<void> reload();

    // The newest snapshot. Null until all records were read once; until then no job that needs a
    // window may start.
    std::shared_ptr<const window_snapshot> current() const;

    const time_zone_source& zones() const { return deps_.zones; }

    // errc::conflict when `create` meets an existing record; errc::not_found when `replace` meets
    // none.
    enum class write_mode { create, replace, create_or_replace };
    // errc::invalid, with the line, for a text that is not a calendar.
    async<void> put_calendar(
        std::string label, stored_calendar calendar, write_mode mode, std::string actor);
    // Writes the result of a fetch if the calendar still has that version. False after a concurrent
    // change.
    async<bool> put_fetched(
        std::string label, stored_calendar calendar, std::int64_t version, std::string actor);
    // A schedule of type single or multi may lack a calendar: it has no windows then.
    async<void> put_maintenance(
        std::string name, maintenance_schedule_record schedule, write_mode mode, std::string actor);
    async<void> put_schedule(
        std::string name, stored_schedule schedule, write_mode mode, std::string actor);
    async<void> put_policy(stored_policy policy, std::string actor);

    // errc::conflict for a calendar that a schedule uses, or a schedule that systems have.
    async<void> remove(record_kind kind, std::string name, std::string actor);

    // Gives these systems this maintenance schedule, whatever they had, or none if it is empty. How
    // many had another one before.
    async<std::size_t> assign(std::string schedule, fleet::system_set systems, std::string actor);

    // Records that the runs of a schedule up to `considered` are done or skipped. False when
    // another server was faster. `actor` names this server.
    async<bool> put_considered(std::string schedule, wall_time considered, std::string actor);

    void export_to(runtime::metrics& metrics) const { rows_.rows().export_to(metrics); }

private:
    // Writes rows whose versions are still the next ones; errc::conflict otherwise.
    async<void> write(std::vector<window_record> rows);
    async<std::shared_ptr<const window_snapshot>> read_newest();
    void apply(const std::vector<window_record>& rows);
    void apply(const std::vector<window_record>& rows, window_snapshot& snapshot);
    async<void> put(
        record_kind kind,
        std::string name,
        std::string document,
        write_mode mode,
        std::string actor);
    async<std::size_t> assign_part(
        std::string schedule, fleet::system_set systems, std::string actor);
    window_record next_row(
        const window_snapshot& snapshot,
        record_kind kind,
        std::string name,
        std::string actor) const;

    dependencies deps_;
    mutable std::mutex mutex_;
    std::shared_ptr<const window_snapshot> current_;
    std::shared_ptr<const window_snapshot> loaded_ = std::make_shared<window_snapshot>();
    runtime::table_follower<window_record> rows_;
};

}  // namespace muster::windows
