#include "adapters/archive/archive_store.h"
#include "base/iso_time.h"
#include "base/prng.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

namespace muster::archive {
namespace {

using harness::run_sync;

const wall_time monday = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16);

struct unpacked {
    archived_file told;
    std::string text;
};

result<unpacked> unpack(const std::filesystem::path& file) {
    unpacked all;
    TRY(all.told, read_file(file, [&](std::string_view piece) {
            all.text += piece;
            return result<void>();
        }));
    return all;
}

archived_file write_lines(
    const std::filesystem::path& file, const std::vector<std::string>& lines) {
    auto writer = file_writer::create(file).value();
    for (const auto& line : lines) REQUIRE(writer.append(line).has_value());
    return writer.finish().value();
}

TEST_CASE("what is written is read back, and both agree on what the file is") {
    const harness::temporary_directory where("archive");
    prng random(7);
    std::vector<std::string> lines;
    std::string text;
    for (int n = 0; n < 20'000; ++n) {
        lines.push_back(R"({"n":)" + std::to_string(random.next()) + "}");
        text += lines.back() + "\n";
    }

    const auto response = write_lines(where.path() / "tasks.jsonl.zst", lines);
    const auto read = unpack(where.path() / "tasks.jsonl.zst").value();

    CHECK(read.text == text);
    CHECK(read.told == response);
    CHECK(response.lines == lines.size());
    CHECK(response.bytes == std::filesystem::file_size(where.path() / "tasks.jsonl.zst"));
    CHECK(write_lines(where.path() / "empty", {}).lines == 0);
    CHECK(unpack(where.path() / "empty").value().text.empty());
}

TEST_CASE("a file that was not finished has no name, and leaves nothing behind") {
    const harness::temporary_directory where("archive");
    {
        auto writer = file_writer::create(where.path() / "tasks").value();
        REQUIRE(writer.append("half").has_value());
    }
    CHECK(std::filesystem::is_empty(where.path()));
}

TEST_CASE("a file cut short or changed in any byte is told from a whole one") {
    const harness::temporary_directory where("archive");
    const auto file = where.path() / "tasks";
    const auto response = write_lines(file, {"one line that is long enough", "and another one"});
    const auto size = std::filesystem::file_size(file);
    std::string bytes(size, '\0');
    std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(size));

    for (std::size_t at = 0; at < size; ++at) {
        std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(at));
        const auto cut = unpack(file);
        CHECK_FALSE((cut.has_value() && cut->told.sha256 == response.sha256));
        auto changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        std::ofstream(file, std::ios::binary) << changed;
        const auto other = unpack(file);
        CHECK_FALSE((other.has_value() && other->told.sha256 == response.sha256));
    }
}

TEST_CASE("a manifest is read back as it was written, and what is none is refused") {
    const manifest manifest{
        .database = "abc",
        .from = monday,
        .until = monday + std::chrono::days(7),
        .created = monday + std::chrono::days(97),
        .files = {
            {.name = "tasks-2026-11-16.jsonl.zst",
             .table = "tasks",
             .lines = 3,
             .bytes = 99,
             .sha256 = "00ff"}}};

    CHECK(decode_manifest(encode(manifest)).value() == manifest);
    auto second = manifest;
    second.part = 2;
    CHECK(decode_manifest(encode(second)).value() == second);
    CHECK(file_name("tasks", monday) == "tasks-2026-11-16.jsonl.zst");
    CHECK(file_name("tasks", monday, 2) == "tasks-2026-11-16.2.jsonl.zst");
    CHECK(manifest_name(monday, 2) == "manifest-2026-11-16.2.json");
    CHECK(iso_time(monday) == "2026-11-16T00:00:00Z");
    CHECK(decode_manifest("{}").error().code() == errc::corrupt);
    CHECK(decode_manifest("[").error().code() == errc::corrupt);
    auto elsewhere = manifest;
    elsewhere.files[0].name = "../secret";
    CHECK(decode_manifest(encode(elsewhere)).error().code() == errc::corrupt);
}

TEST_CASE("an archive is there once its manifest is, and one that lacks a file is not believed") {
    const harness::temporary_directory where("archive");
    archive_store store(where.path() / "deep" / "down");
    CHECK_FALSE(run_sync(store.find(monday)).value().has_value());

    REQUIRE(run_sync(store.begin({.table = "tasks", .from = monday})).has_value());
    REQUIRE(run_sync(store.append([](file_writer& into) { return into.append("{}"); })));
    const auto stored = run_sync(store.end()).value();
    CHECK(stored.table == "tasks");
    CHECK_FALSE(run_sync(store.find(monday)).value().has_value());
    const manifest all{
        .database = "abc",
        .from = monday,
        .until = monday + std::chrono::days(7),
        .created = monday,
        .files = {stored}};
    REQUIRE(run_sync(store.write_manifest(all)).has_value());
    CHECK(run_sync(store.find(monday)).value() == all);
    CHECK(list_manifests(where.path() / "deep" / "down").value() == std::vector{all});

    std::filesystem::remove(where.path() / "deep" / "down" / stored.name);
    CHECK(run_sync(store.find(monday)).error().code() == errc::corrupt);
}

TEST_CASE(
    "a part that is on record is taken for here only if its files are, and gets its manifest") {
    const harness::temporary_directory where("archive");
    archive_store store(where.path());
    REQUIRE(run_sync(store.begin({.table = "tasks", .from = monday, .part = 2})).has_value());
    const auto stored = run_sync(store.end()).value();
    const manifest all{
        .database = "abc",
        .from = monday,
        .until = monday + std::chrono::days(7),
        .created = monday,
        .part = 2,
        .files = {stored}};
    auto elsewhere = all;
    elsewhere.files[0].name = "tasks-2026-11-16.jsonl.zst";

    CHECK_FALSE(run_sync(store.adopt(elsewhere)).value());
    CHECK(list_manifests(where.path()).value().empty());
    CHECK(run_sync(store.adopt(all)).value());
    CHECK(list_manifests(where.path()).value() == std::vector{all});
    CHECK(run_sync(store.adopt(all)).value());

    std::filesystem::remove(where.path() / stored.name);
    CHECK(run_sync(store.adopt(all)).error().code() == errc::corrupt);
}

TEST_CASE("a directory that cannot be made is an error with its name") {
    const harness::temporary_directory where("archive");
    std::ofstream(where.path() / "file") << "x";
    archive_store store(where.path() / "file" / "below");
    const auto begun = run_sync(store.begin({.table = "tasks", .from = monday}));
    REQUIRE_FALSE(begun.has_value());
    CHECK(begun.error().detail().contains("below"));
}

}  // namespace
}  // namespace muster::archive
