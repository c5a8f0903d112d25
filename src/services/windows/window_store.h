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

// The calendars, maintenance schedules, assignments and recurring schedules of the cluster:
// followed from the ledger into memory, and changed there. Whoever changes something sees it at
// once; other servers a moment later. Thread-safe but for run().
class window_store {
public:
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        zone_source zones;
        runtime::logger& log;
    };

    explicit window_store(dependencies deps);
    window_store(const window_store&) = delete;
    window_store& operator=(const window_store&) = delete;

    // Follows the records until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return catch_up(); });
    }

    // Reads what is new now. For whoever needs the newest, and for tests.
    async<void> catch_up();
    // Forgets what is in memory and reads everything.
    async<void> read_anew();

    // As they were a moment ago. Null until all were read once: then nobody knows yet who has a
    // schedule, and nothing that needs a window may start.
    std::shared_ptr<const window_snapshot> current() const;

    const zone_source& zones() const { return deps_.zones; }

    // errc::invalid, with the line, when the text is no calendar. Making one that is there is
    // errc::conflict; replacing one that is not is errc::not_found.
    enum class writing { new_one, replacement, either };
    async<void> put_calendar(
        std::string label, stored_calendar stored_calendar, writing writing, std::string by);
    // What a look at its address gave, if it is still that version of the calendar. False when
    // somebody changed it meanwhile.
    async<bool> note_fetched(
        std::string label, stored_calendar stored_calendar, std::int64_t version, std::string by);
    // One that is single or multi may be without a calendar: it has no windows until it gets one.
    async<void> put_maintenance(
        std::string name,
        maintenance_schedule_record maintenance_schedule,
        writing writing,
        std::string by);
    async<void> put_schedule(
        std::string name, stored_schedule stored_schedule, writing writing, std::string by);
    async<void> put_policy(stored_policy stored_policy, std::string by);

    // A calendar that a schedule uses and a schedule that systems have are errc::conflict.
    async<void> remove(record_kind kind, std::string name, std::string by);

    // Gives these systems this maintenance schedule, whatever they had, or none if it is empty. How
    // many had another one before.
    async<std::size_t> assign(std::string schedule, fleet::system_set systems, std::string by);

    // Notes that the runs of a schedule up to `considered` are dealt with. False when somebody else
    // was faster: then the run is theirs. `by` names this server.
    async<bool> note_considered(std::string schedule, wall_time considered, std::string by);

    void export_to(runtime::metrics& to) const { rows_.rows().export_to(to); }

private:
    // Writes the row if its version is still the next one: errc::conflict otherwise.
    async<void> write(std::vector<window_record> rows);
    async<std::shared_ptr<const window_snapshot>> newest();
    void apply(const std::vector<window_record>& rows);
    void apply(const std::vector<window_record>& rows, window_snapshot& to);
    async<void> put(
        record_kind kind, std::string name, std::string document, writing how, std::string by);
    async<std::size_t> assign_part(std::string schedule, fleet::system_set systems, std::string by);
    window_record next_row(
        const window_snapshot& now, record_kind kind, std::string name, std::string by) const;

    dependencies deps_;
    mutable std::mutex guard_;
    std::shared_ptr<const window_snapshot> current_;
    std::shared_ptr<const window_snapshot> reading_ = std::make_shared<window_snapshot>();
    runtime::table_follower<window_record> rows_;
};

}  // namespace muster::windows
