#pragma once

#include "adapters/os/file.h"
#include "adapters/os/zone_files.h"
#include "core/targeting/query.h"
#include "roles/fleet/search.h"
#include "roles/gateway/schedules_api.h"
#include "roles/gateway/windows_api.h"
#include "tests/gateway/rest_site.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace muster::gateway::test {

inline constexpr auto nights =
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Core\r\n"
    "DTSTART;TZID=Europe/Berlin:20201116T220000\r\nDURATION:PT4H\r\nRRULE:FREQ=DAILY\r\n"
    "END:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Always\r\nDTSTART;VALUE=DATE:20200101\r\n"
    "RRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

inline async<http::response> serve_nights(http::request /*asked*/) {
    co_return http::response{.status = 200, .body = nights};
}

// A server with three systems, and an admin who is logged in.
struct windows_site : rest_site {
    fleet::fleet known;
    fleet::search search{known};
    os::zone_files zones;
    windows::window_book book{
        {.records = *records,
         .time = time,
         .zones = [this](std::string_view name) { return zones.find(name); },
         .log = log}};
    struct some_plans final : windows::planned_jobs {
        std::vector<windows::planned_start> plans;
        std::vector<windows::replanned> replanned;
        std::string failing;  // why nothing that is planned can be changed; empty: it can

        std::vector<windows::planned_start> planned(
            const std::string& /*schedule*/) const override {
            return plans;
        }
        async<std::vector<replaced_job>> carry_out(
            replanned_schedules by, std::string /*who*/) override {
            for (const auto& [schedule, some] : by)
                replanned.insert(replanned.end(), some.begin(), some.end());
            if (!failing.empty())
                co_return std::vector{replaced_job{.job = "job-7", .failed = failing}};
            co_return std::vector{replaced_job{.job = "job-7", .by = {"job-8"}}};
        }
        async<std::vector<replaced_job>> cancel(
            fleet::system_set /*systems*/, std::string /*who*/) override {
            if (!failing.empty()) co_return fail(errc::unavailable, failing);
            co_return std::vector<replaced_job>();
        }
    };
    some_plans planned;
    windows_api windows_part{
        {.book = book,
         .known = known,
         .resolve = [this](const std::string& query) { return resolve(query); },
         .time = time,
         .planned = &planned,
         .authorities = where.path() / "authorities.pem"}};
    schedules_api schedules_part{book, time};

    result<fleet::system_set> resolve(const std::string& query) const {
        TRY(const auto parsed, targeting::query::parse(query));
        return search.resolve(parsed, {});
    }

    windows_site() : rest_site("windows-api") {
        REQUIRE(answer_of(book.catch_up()).has_value());
        add_systems();
        REQUIRE(os::save_file(
            {.file = where.path() / "authorities.pem",
             .text = http::test::cluster_ca().certificate().to_pem()}));
        REQUIRE(windows_part.declare(operations));
        REQUIRE(schedules_part.declare(operations));
        auto routes = std::make_shared<http::router>();
        REQUIRE(routes->add("GET", "/nights.ics", {serve_nights}));
        serve(std::move(routes));
    }
    ~windows_site() { stop(); }

    void add_systems() {
        std::vector<system_record> all;
        for (const int number : {1, 2, 3}) {
            fingerprint::bytes_type bytes{};
            bytes.front() = static_cast<unsigned char>(number);
            system_record made{.print = fingerprint(bytes)};
            made.name = (number == 3 ? "db" : "web") + std::to_string(number);
            made.number = system_number(number);
            made.stage = enrolment::accepted;
            made.zone = "default";
            made.version = 1;
            all.push_back(std::move(made));
        }
        known.begin_reading();
        known.apply(all);
        known.end_reading();
    }

    void make_schedules() {
        call("POST", "/api/v1/windows/calendars", {{"label", "nights"}, {"text", nights}});
        for (const auto* const name : {"Core", "Always"})
            call(
                "POST",
                "/api/v1/windows/schedules",
                {{"name", name}, {"type", "multi"}, {"calendar", "nights"}});
    }
};

}  // namespace muster::gateway::test
