#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "base/prng.h"
#include "ports/contract/run_concurrently.h"
#include "tests/harness/process.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster {
namespace {

using boost::asio::awaitable;

constexpr auto file_variable = "MUSTER_TEST_METASTORE";
constexpr int writers = 16;

// Two keys at once, so that a half-written transaction would be seen.
awaitable<void> write_for_ever(metastore& in, std::string name) {
    for (int i = 0;; ++i) {
        const auto key = name + "/" + std::to_string(i);
        kv::transaction change{.then = {kv::put{"a/" + key, "v"}, kv::put{"b/" + key, "v"}}};
        const auto verdict = co_await in.commit(std::move(change));
        REQUIRE(verdict.has_value());
        const auto line = key + "\n";
        REQUIRE(::write(STDOUT_FILENO, line.data(), line.size()) > 0);
    }
}

// Run by the tests below in a process of its own.
TEST_CASE("writes until it is killed" * doctest::skip()) {
    const char* const file = std::getenv(file_variable);  // NOLINT(concurrency-mt-unsafe)
    REQUIRE(file != nullptr);
    auto opened = sqlite_metastore::open(file);
    REQUIRE_MESSAGE(opened.has_value(), to_string(opened.error()));
    const auto life = std::to_string(::getpid());

    std::vector<awaitable<void>> all;
    for (int i = 0; i < writers; ++i) {
        all.push_back(write_for_ever(**opened, life + "/" + std::to_string(i)));
    }
    harness::real_event_loop().run(contract::run_concurrently(std::move(all)));
}

harness::command writer_of(const std::filesystem::path& file, const std::filesystem::path& output) {
    return {
        .argv =
            {"/proc/self/exe", "--no-skip", "--test-case=writes until it is killed", "--minimal"},
        .environment = {{file_variable, file.string()}},
        .output = output,
        .user = ""};
}

// The keys whose commits were acknowledged: whole lines with two slashes.
std::set<std::string> acknowledged_in(const std::filesystem::path& output) {
    std::set<std::string> keys;
    std::ifstream in(output);
    std::string line;
    while (std::getline(in, line) && !in.eof()) {
        if (std::ranges::count(line, '/') == 2) keys.insert(line);
    }
    return keys;
}

std::set<std::string> keys_under(metastore& in, const std::string& prefix) {
    std::set<std::string> keys;
    kv::range_request next{.prefix = prefix};
    while (true) {
        const auto page = harness::run_sync(in.range(next));
        REQUIRE(page.has_value());
        for (const auto& entry : page->entries) keys.insert(entry.key.substr(prefix.size()));
        if (!page->more) return keys;
        next.after = page->entries.back().key;
    }
}

TEST_CASE("kill -9 in the middle of writes loses no acknowledged commit and leaves no half one") {
    const harness::temporary_directory directory("metastore");
    const auto file = directory.path() / "metastore.db";
    const auto output = directory.path() / "acknowledged";
    prng random(20261115);

    for (int life = 0; life < 8; ++life) {
        CAPTURE(life);
        const auto enough = acknowledged_in(output).size() + 1 + random.below(1500);
        harness::process writer(writer_of(file, output));
        harness::eventually(
            "the writer writes",
            [&] { return acknowledged_in(output).size() >= enough || !writer.running(); },
            std::chrono::seconds(30),
            output);
        REQUIRE(writer.running());
        writer.kill();

        auto opened = sqlite_metastore::open(file);
        REQUIRE_MESSAGE(opened.has_value(), to_string(opened.error()));
        const auto left = keys_under(**opened, "a/");
        CHECK(left == keys_under(**opened, "b/"));
        for (const auto& key : acknowledged_in(output)) REQUIRE_MESSAGE(left.contains(key), key);
    }
}

TEST_CASE("a file that another process has open is refused") {
    const harness::temporary_directory directory("metastore");
    const auto file = directory.path() / "metastore.db";
    const auto output = directory.path() / "output";
    const auto own = sqlite_metastore::open(file);
    REQUIRE(own.has_value());

    harness::process other(writer_of(file, output));
    const auto code = other.wait(std::chrono::seconds(30));

    CHECK(code.value_or(0) != 0);
    std::ifstream in(output);
    const std::string message{std::istreambuf_iterator<char>(in), {}};
    CHECK(message.find("in use by another process") != std::string::npos);
}

}  // namespace
}  // namespace muster
