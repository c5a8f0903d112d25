#include "sim/workloads/jobs_kinds.h"

#include "base/assert.h"
#include "base/prng.h"
#include "sim/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view arguments_begin = R"({"cmd":"kind )";

// While there is trouble windows open every period and close again; from `settled` on one is open.
constexpr auto window_period = 20s;
constexpr auto window_opens = 5s;
constexpr auto window_lasts = 10s;
constexpr auto windows_settled = 180s;
constexpr auto last_window_lasts = std::chrono::hours(10);

// A program that outlives its agent is started this often at most (agent_tasks_options).
constexpr std::uint32_t starts_max = 3;
constexpr std::uint32_t reruns_max = 3;

amount count_of(double value) {
    return {.unit = amount::units::count, .value = value};
}

amount percent(double value) {
    return {.unit = amount::units::percent, .value = value};
}

job_kind basic(std::string name, std::int64_t systems) {
    job_kind result;
    result.name = std::move(name);
    result.targets = fleet::system_set::range(system_number(1), system_number(systems));
    result.spec.function = "cmd.run";
    result.spec.windows = job_spec::window_rule::ignore;
    result.spec.query = "all";
    result.spec.actor = "operator";
    result.spec.timeout = 10s;
    result.spec.expires_after = 45s;
    return result;
}

job_kind batch_by_number(std::int64_t systems) {
    auto result = basic("batch of 3", systems);
    result.spec.rollout.batch = count_of(3);
    result.places = 3;
    return result;
}

job_kind batch_by_percent(std::int64_t systems) {
    auto result = basic("batch of a quarter", systems);
    result.spec.rollout.batch = percent(25);
    result.spec.rollout.batch_wait = 500ms;
    result.places = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(systems) / 4);
    result.large = true;
    return result;
}

job_kind batch_with_retries(std::int64_t systems) {
    auto result = basic("batch with retries", systems);
    result.spec.rollout.batch = count_of(4);
    result.spec.rollout.retries = 2;
    result.spec.rollout.retry_wait = 1s;
    result.places = 4;
    result.fails_per_mille = 300;
    return result;
}

job_kind by_rate(std::int64_t systems) {
    auto result = basic("by rate", systems);
    result.spec.rollout.rate = 3;
    return result;
}

job_kind canaries(std::int64_t systems) {
    auto result = basic("canaries", systems);
    result.spec.rollout.canary = count_of(2);
    return result;
}

job_kind few_failures(std::int64_t systems) {
    auto result = basic("few failures", systems);
    result.spec.rollout.max_failures = count_of(2);
    result.spec.rollout.rate = 4;
    result.fails_per_mille = 300;
    return result;
}

job_kind may_run_again(std::int64_t systems) {
    auto result = basic("may run again", systems);
    result.spec.may_run_again = true;
    result.runs_max = 6s;
    return result;
}

job_kind in_windows(std::int64_t systems) {
    auto result = basic("in windows", systems);
    result.spec.windows = job_spec::window_rule::respect;
    return result;
}

job_kind batch_in_windows(std::int64_t systems) {
    auto result = batch_by_number(systems);
    result.name = "batch in windows";
    result.spec.windows = job_spec::window_rule::respect;
    return result;
}

job_kind too_short(std::int64_t systems) {
    auto result = basic("too short a time", systems);
    result.spec.expires_after = 5s;
    result.spec.rollout.rate = 2;
    return result;
}

job_kind long_runs(std::int64_t systems) {
    auto result = basic("long runs", systems);
    result.runs_max = 14s;  // some longer than their timeout
    result.large = true;
    return result;
}

job_kind later(std::int64_t systems) {
    auto result = basic("later", systems);
    result.starts_in = 6s;
    return result;
}

std::string line_of_event(wall_time begins, std::chrono::seconds lasts) {
    const auto day = std::chrono::floor<std::chrono::days>(begins);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss of_day(std::chrono::floor<std::chrono::seconds>(begins - day));
    return fmt::format(
        "BEGIN:VEVENT\nSUMMARY:short\nDTSTART:{:04}{:02}{:02}T{:02}{:02}{:02}Z\nDURATION:PT{}S\n"
        "END:VEVENT\n",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        of_day.hours().count(),
        of_day.minutes().count(),
        of_day.seconds().count(),
        lasts.count());
}

std::string bytes_of_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t at = 0; at < hex.size(); at += 2) {
        unsigned value = 0;
        std::from_chars(hex.data() + at, hex.data() + at + 2, value, 16);
        bytes += static_cast<char>(value);
    }
    return bytes;
}

// A text of 700 times the same letter in one zstd frame (RFC 8878) with one raw block.
large_payload payload_of(char letter, std::string_view digest) {
    constexpr std::size_t size = 700;
    constexpr std::string_view head("\x28\xb5\x2f\xfd\x60\xbc\x01\xe1\x15\x00", 10);
    return {
        .digest = bytes_of_hex(digest),
        .text = std::string(size, letter),
        .packed = std::string(head) + std::string(size, letter)};
}

}  // namespace

std::uint32_t job_kind::starts_of_attempt_max() const {
    return spec.may_run_again ? starts_max : 1;
}

std::uint32_t job_kind::attempts_max() const {
    return 1 + std::max(spec.rollout.retries, spec.may_run_again ? reruns_max : 0);
}

std::vector<job_kind> job_kinds(std::int64_t systems) {
    std::vector<job_kind> all{
        basic("plain", systems),
        batch_by_number(systems),
        batch_by_percent(systems),
        batch_with_retries(systems),
        by_rate(systems),
        canaries(systems),
        few_failures(systems),
        may_run_again(systems),
        in_windows(systems),
        batch_in_windows(systems),
        too_short(systems),
        long_runs(systems),
        later(systems)};
    for (std::size_t index = 0; index < all.size(); ++index)
        all[index].spec.arguments = fmt::format("{}{}\"}}", arguments_begin, index);
    return all;
}

std::size_t kind_named_in(std::string_view arguments) {
    MUSTER_ASSERT(arguments.starts_with(arguments_begin));
    const auto number = arguments.substr(arguments_begin.size());
    std::size_t index = 0;
    std::from_chars(number.data(), number.data() + number.size(), index);
    return index;
}

fingerprint print_of_system(system_number system_number) {
    prng random(static_cast<std::uint64_t>(system_number.value()));
    fingerprint::bytes_type bytes{};
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random.below(256));
    return fingerprint(bytes);
}

std::vector<system_record> fleet_of(std::int64_t systems, const std::string& zone) {
    std::vector<system_record> all;
    for (std::int64_t number = 1; number <= systems; ++number) {
        system_record row{.print = print_of_system(system_number(number))};
        row.name = fmt::format("web{}", number);
        row.stage = enrolment::accepted;
        row.number = system_number(number);
        row.zone = zone;
        all.push_back(std::move(row));
    }
    return all;
}

bool has_windows(system_number system_number) {
    return system_number.value() % 2 == 1;
}

fleet::system_set systems_with_windows(std::int64_t systems) {
    fleet::system_set some;
    for (std::int64_t number = 1; number <= systems; ++number)
        if (has_windows(system_number(number))) some.add(system_number(number));
    return some;
}

std::string window_calendar() {
    std::string text = "BEGIN:VCALENDAR\n";
    for (auto begins = window_opens; begins < windows_settled; begins += window_period)
        text += line_of_event(process_clock::wall_start + begins, window_lasts);
    text += line_of_event(process_clock::wall_start + windows_settled, last_window_lasts);
    return text + "END:VCALENDAR\n";
}

wall_time::duration window_left(wall_time when) {
    constexpr wall_time::duration none{};
    const auto since = when - process_clock::wall_start;
    if (since < 0s) return none;
    if (since >= windows_settled)
        return std::max<wall_time::duration>(windows_settled + last_window_lasts - since, none);
    const auto within = since % window_period;
    if (within < window_opens) return none;
    return std::max<wall_time::duration>(window_opens + window_lasts - within, none);
}

bool window_open(wall_time when) {
    return window_left(when) > wall_time::duration();
}

const large_payload& large_payload_of(job_id job) {
    static const std::array<large_payload, 3> all{
        payload_of('x', "12f6b82c283303ae5e6a08094c81feeecb75a2ddce8e30582151da9efb97d3c9"),
        payload_of('y', "e807e71c4e892d521ad1f6c46df22b891f9bf5a8f5a040d64b13564b40c7750e"),
        payload_of('z', "150318b4c407863e91a467c81b2607c4bd83908162a3927298836600ec656f4c")};
    return all.at(static_cast<std::size_t>(job.value()) % all.size());
}

}  // namespace muster::sim
