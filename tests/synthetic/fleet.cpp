#include "tests/synthetic/fleet.h"

#include "base/prng.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string_view>

namespace muster::synthetic {
namespace {

constexpr std::array<std::string_view, 6> roles{"web", "db", "mail", "cache", "build", "desk"};
constexpr std::array<std::string_view, 5> places{"munich", "prague", "oslo", "lima", "osaka"};
constexpr std::array<std::string_view, 4> distributions{"debian", "ubuntu", "sles", "rhel"};
constexpr std::array<std::string_view, 4> versions{"12", "22.04", "15.6", "9.4"};

template <std::size_t size>
std::string_view one_of(const std::array<std::string_view, size>& all, std::uint64_t number) {
    return all.at(number % size);
}

fingerprint print_of(std::uint64_t number) {
    prng random(number);
    fingerprint::bytes_type bytes{};
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        const auto drawn = random.next();
        for (std::size_t byte = 0; byte < 8; ++byte)
            bytes.at(at + byte) = static_cast<unsigned char>(drawn >> (8 * byte));
    }
    return fingerprint(bytes);
}

std::string name_of(std::uint64_t number) {
    return fmt::format(
        "{}{:07}.{}.example", one_of(roles, number), number, one_of(places, number / 7));
}

std::string address_of(std::uint64_t number) {
    return fmt::format("10.{}.{}.{}", number >> 16U & 255U, number >> 8U & 255U, number & 255U);
}

}  // namespace

system_record system_of(std::uint64_t number) {
    using namespace std::chrono_literals;
    system_record system{.print = print_of(number)};
    system.public_key = std::string(32, 'k');
    system.name = name_of(number);
    system.machine_id = fmt::format("{:032x}", number);
    system.stage = enrolment::accepted;
    system.number = system_number(static_cast<std::int64_t>(number));
    system.zone = "default";
    system.tags = {std::string(number % 10 < 7 ? "production" : "testing")};
    system.groups = {std::string(one_of(places, number / 7))};
    system.origin = address_of(number);
    system.enrolled =
        wall_time(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)) + 1s * number;
    system.accepted = system.enrolled + 1h;
    system.accepted_by = "admin";
    system.version = 2;
    return system;
}

std::string facts_of(std::uint64_t number) {
    return fmt::format(
        R"({{"hostname":"{}","os.name":"{}","os.version":"{}","kernel.release":"6.1.0-{}",)"
        R"("cpu.count":{},"memory.bytes":{},"addresses":["{}"]}})",
        name_of(number),
        one_of(distributions, number / 3),
        one_of(versions, number / 3),
        number % 40,
        1U << number % 7,
        (std::uint64_t{1} << 30U) << number % 9,
        address_of(number));
}

}  // namespace muster::synthetic
