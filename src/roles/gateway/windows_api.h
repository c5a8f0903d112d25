#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "core/fleet/system_set.h"
#include "core/windows/replacement.h"
#include "roles/fleet/fleet.h"
#include "roles/gateway/office.h"
#include "roles/windows/window_book.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace muster::gateway {

// A job that could not stay as it was planned, and the jobs it goes on as: none of it is left when
// there are none.
struct replaced_job {
    std::string job;
    std::vector<std::string> by = {};
    std::string failed = {};  // why it stays as it was; empty: it went well

    friend bool operator==(const replaced_job&, const replaced_job&) = default;
};

// By the maintenance schedule whose windows changed.
using replanned_schedules = std::map<std::string, std::vector<windows::replanned>>;

// What a change of calendars does to work that is planned already; told by whoever plans it.
struct planned_work_hooks {
    // The starts planned within the windows of this schedule. None: nothing is planned.
    std::function<std::vector<windows::planned_start>(const std::string& schedule)> planned;
    std::function<async<std::vector<replaced_job>>(replanned_schedules, std::string who)> carry_out;
    // Takes back what is planned within windows for these systems, and tells which jobs it were.
    std::function<async<std::vector<replaced_job>>(fleet::system_set, std::string who)> cancel;
};

// /api/v1/windows: calendars, maintenance schedules, who has which, and when they are open. Answers
// from memory. Every change is in the audit trail. Handlers run on any event loop.
class windows_api {
public:
    struct surroundings {
        const front_desk& desk;
        windows::window_book& book;
        const fleet::fleet& known;
        // The accepted systems that a query means.
        std::function<result<fleet::system_set>(const std::string& query)> resolve;
        clock& time;
        planned_work_hooks planned = {};
        std::filesystem::path authorities = "/etc/ssl/certs/ca-certificates.crt";
    };

    explicit windows_api(surroundings around) : around_(std::move(around)) {}

    result<void> add_routes(net::http::router& routes);

    // Whether all that is planned may stay when this takes the calendar's place. errc::conflict
    // names what may not.
    result<void> keeps_planned(const std::string& label, const windows::calendar& with) const;

private:
    using answer = async<net::http::response>;
    using request = net::http::request;
    using view = std::shared_ptr<const windows::window_view>;

    answer list_calendars(request asked);
    answer show_calendar(request asked);
    answer add_calendar(request asked);
    answer replace_calendar(request asked);
    answer refresh_calendar(request asked);
    answer remove_calendar(request asked);
    answer list_schedules(request asked);
    answer show_schedule(request asked);
    answer add_schedule(request asked);
    answer remove_schedule(request asked);
    answer times(request asked);
    answer assign(request asked);
    answer unassign(request asked);
    answer list_systems(request asked);
    answer show_policy(request asked);
    answer set_policy(request asked);

    async<windows::stored_calendar> with_text(windows::stored_calendar what);
    answer put_calendar(
        visitor who,
        std::string label,
        windows::stored_calendar what,
        windows::window_book::writing how,
        std::string strategies);
    result<replanned_schedules> replanned_by(
        const windows::window_view& now,
        const std::string& label,
        const windows::calendar& with,
        const std::string& strategies) const;
    answer assigned(visitor who, std::string schedule, std::string query);
    result<view> current() const;
    async<void> recorded(visitor who, std::string what, std::string detail, result<void> outcome);
    static answer settled(answer work);
    net::http::handler calling(answer (windows_api::*method)(request));

    surroundings around_;
};

}  // namespace muster::gateway
