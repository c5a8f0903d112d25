#include "adapters/os/file.h"
#include "adapters/pki/fingerprint.h"
#include "apps/agent/tasks/arguments.h"
#include "apps/agent/tasks/captured_output.h"
#include "apps/agent/tasks/command.h"
#include "apps/agent/tasks/functions.h"
#include "apps/agent/tasks/load_check.h"
#include "apps/agent/tasks/package_change.h"
#include "apps/agent/tasks/payload_store.h"
#include "apps/agent/tasks/task_codec.h"
#include "apps/agent/tasks/update.h"
#include "base/hex.h"
#include "base/prng.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <fstream>
#include <zstd.h>

namespace muster::agent {
namespace {

using session::journaled_task;
using session::task_name;

constexpr task_name uptime{.job = 1'700'000'000'000'001, .attempt = 2};

session::task_request order(std::string function, std::string arguments) {
    return {
        .name = uptime,
        .function = std::move(function),
        .arguments = std::move(arguments),
        .timeout = std::chrono::seconds(60)};
}

TEST_CASE("a task is the same after the journal kept it") {
    journaled_task stored{
        .state = journaled_task::journal_state::reported,
        .request = order("cmd.run", ""),
        .nature = session::task_nature::reboots,
        .since = wall_time(std::chrono::microseconds(5)),
        .starts = 2,
        .boot = "a boot",
        .report = {
            .task = uptime,
            .result =
                {.outcome = session::task_outcome::failed,
                 .exit_code = -7,
                 .reason = "exit code 7",
                 .digest = std::string(32, 'd'),
                 .payload_size = 9,
                 .truncated = true,
                 .inline_payload = "{}",
                 .payload_stored = true},
            .started = wall_time(std::chrono::microseconds(6)),
            .ended = wall_time(std::chrono::microseconds(7))}};

    CHECK(decode_task(encode(stored)).value() == stored);
    CHECK(decode_task("\x08\x63").error().code() == errc::corrupt);
    CHECK(decode_task("no record").error().code() == errc::corrupt);
}

TEST_CASE("bytes that are not UTF-8 are replaced, whatever they are") {
    CHECK(to_utf8("plain").text == "plain");
    CHECK(
        to_utf8("gr\xc3\xbc\xc3\x9f"
                "e")
            .text
        == "grüße");
    CHECK(to_utf8("a\xff" "b").text == "a\xef\xbf\xbd" "b");
    CHECK(to_utf8("\xed\xa0\x80").replaced);  // a surrogate
    CHECK(to_utf8("\xc0\x80").replaced);      // too long a form
    CHECK(to_utf8("\xe2\x82").replaced);      // cut off
    prng random(4711);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes;
        for (auto left = random.below(12); left > 0; --left)
            bytes += static_cast<char>(random.below(256));
        const auto clean = to_utf8(bytes);
        CHECK_FALSE(to_utf8(clean.text).replaced);
        CHECK((clean.text == bytes) == !clean.replaced);
    }
}

TEST_CASE("output beyond its limit is not kept, and it is known that there was more") {
    captured_output captured(10);
    captured.add_output("12345");
    captured.add_error("678");
    CHECK_FALSE(captured.truncated());

    captured.add_output("90ABC");

    CHECK(captured.truncated());
    CHECK(captured.written_bytes() == 13);
    CHECK(
        captured.payload(3, 1000).text
        == R"({"stdout":"1234590","stderr":"678","exit_code":3,"truncated":true})");
}

TEST_CASE("however output is quoted, what is told of it stays within its limit and says so") {
    prng random(11);
    for (int round = 0; round < 200; ++round) {
        const std::size_t limit = 200 + random.below(2000);
        captured_output captured(3000);
        const auto text = [&random] {
            std::string result;
            const auto size = random.below(1500);
            const auto letters = 1 + random.below(256);
            while (result.size() < size) result += static_cast<char>(random.below(letters));
            return result;
        };
        captured.add_output(text());
        captured.add_error(text());

        const auto response = captured.payload(0, limit);
        const auto whole = captured.payload(0, 100'000);

        CHECK(response.text.size() <= limit);
        CHECK_FALSE(whole.truncated);
        CHECK(response.truncated == (response.text != whole.text));
        CHECK(response.text.contains(
            response.truncated ? R"("truncated":true)" : R"("truncated":false)"));
        if (whole.text.size() + 128 <= limit) CHECK_FALSE(response.truncated);
    }
}

TEST_CASE("of two long outputs both are told, of a short one all, and no letter is cut") {
    captured_output captured(10'000);
    captured.add_output(std::string(4000, 'o'));
    captured.add_error("why\n");
    const auto one = captured.payload(1, 1128).text;
    CHECK(one.contains(R"("stderr":"why\n")"));
    CHECK(one.contains(std::string(995, 'o')));
    CHECK_FALSE(one.contains(std::string(996, 'o')));

    for (int count = 0; count < 2000; ++count) captured.add_error("\xc3\xa4");
    const auto both = captured.payload(1, 1128).text;
    CHECK(both.contains(std::string(500, 'o')));
    CHECK(both.contains("\xc3\xa4"));
    CHECK_FALSE(to_utf8(both).replaced);
}

TEST_CASE("a payload that no node would take is not kept") {
    const harness::temporary_directory home("payloads");
    auto store = payload_store::open(home.path() / "p", {}).value();
    prng random(3);
    std::string noise(payload_store::accepted_bytes, '\0');
    for (auto& each : noise) each = static_cast<char>(random.below(256));

    CHECK(store.save(uptime, noise).has_value());
    CHECK(store.save(uptime, noise + noise).error().code() == errc::invalid);
    CHECK(
        store.save(uptime, std::string(std::size_t{9} * 1024 * 1024, 'x')).error().code()
        == errc::invalid);
}

std::string decompressed(const std::string& frame) {
    std::string out(100'000, '\0');
    out.resize(ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size()));
    return out;
}

TEST_CASE("a payload is read in pieces, survives a restart, and goes when it is dropped") {
    const harness::temporary_directory home("payloads");
    prng random(7);
    std::string payload;
    while (payload.size() < 50'000) payload += static_cast<char>(random.below(256));
    {
        auto store = payload_store::open(home.path() / "p", {uptime}).value();
        REQUIRE(store.save(uptime, payload).has_value());
    }

    auto store = payload_store::open(home.path() / "p", {uptime}).value();
    std::string read;
    while (true) {
        const auto part = store.read(uptime, read.size(), 7000).value();
        CHECK(part.content.size() <= 7000);
        read += part.content;
        if (part.last) break;
    }

    CHECK(decompressed(read) == payload);
    CHECK(store.stored_bytes() == read.size());
    store.remove(uptime);
    CHECK(store.read(uptime, 0, 10).error().code() == errc::not_found);
    CHECK(store.stored_bytes() == 0);
    REQUIRE(store.save(uptime, payload).has_value());
    CHECK(payload_store::open(home.path() / "p", {}).value().stored_bytes() == 0);
    CHECK(std::filesystem::is_empty(home.path() / "p"));
}

TEST_CASE("a command's environment is clean and its own") {
    const auto command =
        parse_command(order("cmd.run", R"({"cmd": "x", "env": {"A": "1", "LANG": "de"}})"), {});
    REQUIRE(command.has_value());

    const auto& variables = command->process.environment;
    const auto has = [&variables](const std::string& each) {
        return std::ranges::find(variables, each) != variables.end();
    };

    CHECK(has("A=1"));
    CHECK(has("LANG=de"));
    CHECK(has("MUSTER_JOB=1700000000000001"));
    CHECK(variables.size() == 8);
    CHECK(command->process.argv == std::vector<std::string>{"/bin/sh", "-c", "x"});
}

TEST_CASE("apt is handed names of packages, and nothing that means more to it") {
    const auto request = [](const std::string& action, const std::string& name) {
        return parse_package_change(
            order(
                "packages.change",
                R"({"action": ")" + action + R"(", "packages": [")" + name + R"("]})"),
            {},
            {.manager = "/usr/bin/apt-get"});
    };
    for (const char* well : {"g++", "libc6", "python3.11", "7zip", "vim 2:9.0.1378-2 amd64"})
        CHECK(request("install", well).has_value());
    for (const char* wrong :
         {"vim-",
          "lamp^",
          "Vim",
          "vim:amd64",
          "a_b",
          "vim 1.0-- all",
          "vim 1^ all",
          "vim 1.0+ all"}) {
        CAPTURE(wrong);
        CHECK_FALSE(request("install", wrong).has_value());
        CHECK_FALSE(request("remove", wrong).has_value());
    }
    // Else "vim+" would be an order to install vim.
    CHECK(request("remove", "vim+").value().process.argv.back() == "vim+:native");
    CHECK(request("remove", "g++ 4:12.2.0-3 amd64").value().process.argv.back() == "g++:amd64");
    CHECK(
        request("install", "g++ 4:12.2.0-3 all").value().process.argv.back()
        == "g++:native=4:12.2.0-3");
    const auto line = request("remove", "vim 2:9.0.1378-2 amd64").value().process.argv;
    CHECK(line.back() == "vim:amd64");
    CHECK(std::ranges::find(line, "APT::Cmd::Pattern-Only=true") != line.end());
}

TEST_CASE("a distribution is changed as a whole, and a test of it changes nothing") {
    const auto line = [](const std::string& manager, const std::string& arguments) {
        const auto package_change = parse_package_change(
            order("packages.change", arguments), {}, {.manager = "/usr/bin/" + manager});
        if (!package_change) return std::string(package_change.error().detail());
        std::string joined;
        for (const auto& each : package_change->process.argv) joined += each + " ";
        return joined;
    };
    const std::string trial = R"({"action": "distribution", "test": true})";
    const std::string real = R"({"action": "distribution", "change_vendors": true})";

    CHECK(line("apt-get", trial).ends_with("--simulate dist-upgrade "));
    CHECK(line("apt-get", real).ends_with("true dist-upgrade "));
    CHECK(line("dnf", trial) == "/usr/bin/dnf -y --setopt=tsflags=test distro-sync ");
    CHECK(line("dnf", real) == "/usr/bin/dnf -y distro-sync ");
    CHECK(
        line("zypper", trial)
        == "/usr/bin/zypper --non-interactive --no-refresh dist-upgrade --no-allow-vendor-change "
           "--dry-run ");
    CHECK(
        line("zypper", real)
        == "/usr/bin/zypper --non-interactive --no-refresh dist-upgrade --allow-vendor-change ");
    CHECK(
        line("dnf", R"({"action": "install", "packages": ["vim"], "test": true})")
        == "/usr/bin/dnf -y --setopt=tsflags=test install -- vim ");
    CHECK(
        line("dnf", R"({"action": "distribution", "packages": ["vim"]})").contains("not allowed"));
    CHECK(line("dnf", R"({"action": "upgrade", "change_vendors": true})").contains("only with"));
    CHECK(line("dnf", R"({"action": "upgrade", "test": 1})").contains("test"));
}

TEST_CASE("a script is a private file until it is removed") {
    const harness::temporary_directory home("scripts");
    const auto at = home.path() / "s";
    const auto own = order("script.run", R"({"content": "#!/bin/cat\nhello", "args": ["a"]})");

    const auto script = parse_script(own, {}, at);
    const auto by_shell = parse_script(order("script.run", R"({"content": "exit 1"})"), {}, at);

    REQUIRE(script.has_value());
    CHECK(script->process.argv == std::vector<std::string>{script->script, "a"});
    REQUIRE(by_shell.has_value());
    CHECK(by_shell->process.argv == std::vector<std::string>{"/bin/sh", by_shell->script});
    CHECK(os::load_file(by_shell->script).value() == "exit 1");
    CHECK(
        std::filesystem::status(by_shell->script).permissions()
        == std::filesystem::perms::owner_all);
    remove_scripts(at);
    CHECK_FALSE(std::filesystem::exists(at));
}

TEST_CASE("scripts are not written where somebody else can") {
    const harness::temporary_directory home("scripts");
    const auto at = home.path() / "s";
    std::filesystem::create_directory(at);
    std::filesystem::permissions(at, std::filesystem::perms::all);

    const auto script = parse_script(order("script.run", R"({"content": "exit 1"})"), {}, at);

    REQUIRE_FALSE(script.has_value());
    CHECK(script.error().code() == errc::denied);
}

TEST_CASE("a strained machine says by what") {
    const harness::temporary_directory proc("proc");
    std::ofstream(proc.path() / "loadavg") << "1000.50 2 3 1/2 3\n";
    std::ofstream(proc.path() / "meminfo")
        << "MemTotal: 4096 kB\nMemFree: 1 kB\nMemAvailable: 2048 kB\n";

    CHECK(overload_reason({}, proc.path()).empty());
    CHECK(overload_reason({.load_max = 1}, proc.path()).starts_with("load 1000.50 exceeds"));
    CHECK(overload_reason({.free_memory_min = 1024}, proc.path()).empty());
    CHECK(
        overload_reason({.free_memory_min = 3U << 20U}, proc.path())
        == "available memory of 2 MiB is below the limit of 3 MiB (tasks.free_memory_min)");
}

// A program that waits to take an agent's place, and who signs for it.
struct offered_update {
    harness::temporary_directory home{"update"};
    pki::private_key key = pki::private_key::create(pki::key_kind::ed25519).value();
    std::string digest = pki::sha256("#!/bin/sh\necho 2\n");
    update_options how{
        .key = key.public_half(), .program = home.path() / "agent", .version = "1.10.0"};

    offered_update() { std::ofstream(home.path() / "new") << "#!/bin/sh\necho 2\n"; }

    struct words {
        std::string version = "1.10.0";
        std::string rest{};  // further arguments
    };
    session::task_request said(
        const std::string& sha256, const std::string& statement, const words& with) const {
        return order(
            "agent.update",
            R"({"path": ")" + (home.path() / "new").string() + R"(", "sha256": ")" + to_hex(sha256)
                + R"(", "version": ")" + with.version + R"(", "signature": ")"
                + to_hex(key.sign(statement).value()) + R"(")" + with.rest + "}");
    }
    result<command> parsed(const std::string& statement, const words& with) const {
        return parse_update(said(digest, statement, with), {}, how);
    }
};

TEST_CASE("an update is believed only by the signature of its digest and version") {
    const offered_update offer;
    const auto other = pki::sha256("other");

    CHECK(offer.parsed(offer.digest + "1.10.0", {}).has_value());
    CHECK(
        parse_update(offer.said(offer.digest, offer.digest + "1.10.0", {}), {}, {}).error().detail()
        == "agent updates are disabled; set tasks.update_key_file");
    CHECK(offer.parsed("something else", {}).error().code() == errc::denied);
    CHECK(offer.parsed(offer.digest, {}).error().code() == errc::denied);
    CHECK(offer.parsed(offer.digest + "1.9.0", {}).error().code() == errc::denied);
    CHECK(parse_update(offer.said(other, other + "1.10.0", {}), {}, offer.how)
              .error()
              .detail()
              .ends_with("does not match the signed sha256"));
    CHECK_FALSE(std::filesystem::exists(offer.home.path() / "agent"));
}

TEST_CASE("an older program is taken only if that was signed, too") {
    const offered_update offer;
    const auto old = offer.digest + "1.9.12";

    CHECK(
        offer.parsed(old, {.version = "1.9.12"}).error().detail()
        == "version: 1.9.12 is older than the agent's version 1.10.0; sign with \"downgrade\" to "
           "allow the downgrade");
    CHECK(
        offer.parsed(old, {.version = "1.9.12", .rest = R"(, "downgrade": true)"}).error().code()
        == errc::denied);
    CHECK(offer.parsed(old + " downgrade", {.version = "1.9.12", .rest = R"(, "downgrade": true)"})
              .has_value());
    CHECK(offer.parsed(offer.digest + "2.0", {.version = "2.0"}).has_value());
    CHECK(offer.parsed(offer.digest + "new", {.version = "new"}).error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::agent
