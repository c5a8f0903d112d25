#include "apps/agent/tasks/file_deployment.h"

#include "apps/agent/tasks/line_difference.h"
#include "tests/harness/temporary_directory.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

::mode_t mode_of(const fs::path& file) {
    struct ::stat stat{};
    REQUIRE(::lstat(file.c_str(), &stat) == 0);
    return stat.st_mode & 07777;
}

struct place {
    harness::temporary_directory home{"deploy"};

    fs::path at(const std::string& name) const { return home.path() / name; }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(home.path()), fs::directory_iterator()));
    }
    deployment_outcome run(json::array files, bool test = false) const {
        const auto order = parse_deployment(
            json::serialize(json::object{{"files", std::move(files)}, {"test", test}}));
        REQUIRE_MESSAGE(order.has_value(), (order ? "" : order.error().detail()));
        return deploy(*order);
    }
};

TEST_CASE("files, directories and links are written, and a second time nothing is") {
    const place fixture;
    const json::array desired{
        json::object{
            {"path", fixture.at("a/b/c.conf").string()}, {"contents", "x = 1\n"}, {"mode", "0600"}},
        json::object{{"type", "directory"}, {"path", fixture.at("d").string()}, {"mode", "0711"}},
        json::object{
            {"type", "symlink"}, {"path", fixture.at("l").string()}, {"target", "a/b/c.conf"}}};
    const auto first = fixture.run(desired);
    CHECK(first.changed == 3);
    CHECK(first.failed == 0);
    CHECK(text_of(fixture.at("a/b/c.conf")) == "x = 1\n");
    CHECK(mode_of(fixture.at("a/b/c.conf")) == 0600);
    CHECK(mode_of(fixture.at("d")) == 0711);
    CHECK(fs::read_symlink(fixture.at("l")) == "a/b/c.conf");
    CHECK(fixture.run(desired).changed == 0);
    CHECK(fixture.entries() == 3);  // nothing is left beside them
}

TEST_CASE("a test says what differs and writes nothing") {
    const place fixture;
    std::ofstream(fixture.at("f")) << "one\ntwo\nthree\n";
    const json::array desired{
        json::object{{"path", fixture.at("f").string()}, {"contents", "one\n2\nthree\n"}},
        json::object{{"path", fixture.at("new").string()}, {"contents", ""}}};
    const auto response = fixture.run(desired, true);
    CHECK(response.changed == 2);
    CHECK(text_of(fixture.at("f")) == "one\ntwo\nthree\n");
    CHECK(!fs::exists(fixture.at("new")));
    const auto files = json::parse(response.payload).at("files").as_array();
    CHECK(files[0].at("result") == "differs");
    CHECK(files[0].at("diff") == "@@ -2,1 +2,1 @@\n-two\n+2\n");
    CHECK(files[1].at("changes").as_array().front() == "missing");
}

TEST_CASE("a difference is told by a test only, and not of files that others may not read") {
    const place fixture;
    std::ofstream(fixture.at("f")) << "old";
    fs::permissions(fixture.at("f"), fs::perms(0640));
    const json::array same{json::object{{"path", fixture.at("f").string()}, {"contents", "new"}}};
    CHECK(!fixture.run(same, true).payload.contains("diff\""));
    fs::permissions(fixture.at("f"), fs::perms(0644));
    CHECK(fixture.run(same, true).payload.contains("diff\""));
    const json::array closed{
        json::object{{"path", fixture.at("f").string()}, {"contents", "new"}, {"mode", "0600"}}};
    CHECK(!fixture.run(closed, true).payload.contains("diff\""));
    CHECK(!fixture.run(same).payload.contains("diff\""));
    CHECK(text_of(fixture.at("f")) == "new");
}

TEST_CASE("a link on the way is followed only where others cannot put one") {
    const place fixture;
    fs::create_directories(fixture.at("real/deep"));
    fs::create_directory(fixture.at("holder"));
    fs::create_directory_symlink("../real/deep", fixture.at("holder/way"));
    const json::array desired{
        json::object{{"path", fixture.at("holder/way/new/f").string()}, {"contents", "x"}}};
    fs::permissions(fixture.at("holder"), fs::perms(0777));
    for (const bool test : {true, false}) {
        const auto refused = fixture.run(desired, test);
        CHECK(refused.failed == 1);
        CHECK(refused.reason.contains("contains the link way"));
    }
    CHECK(fs::is_empty(fixture.at("real/deep")));
    fs::permissions(fixture.at("holder"), fs::perms(0755));
    CHECK(fixture.run(desired).changed == 1);
    CHECK(text_of(fixture.at("real/deep/new/f")) == "x");
    CHECK(fixture.run(desired).changed == 0);
    fs::create_directory_symlink("round", fixture.at("round"));
    const auto round =
        fixture.run({json::object{{"path", fixture.at("round/f").string()}, {"contents", "x"}}});
    CHECK(round.failed == 1);
}

TEST_CASE("what is not said of a file stays: its mode when its contents change") {
    const place fixture;
    std::ofstream(fixture.at("f")) << "old";
    fs::permissions(fixture.at("f"), fs::perms(0640));
    CHECK(
        fixture.run({json::object{{"path", fixture.at("f").string()}, {"contents", "new"}}}).changed
        == 1);
    CHECK(text_of(fixture.at("f")) == "new");
    CHECK(mode_of(fixture.at("f")) == 0640);
    const auto mode =
        json::object{{"path", fixture.at("f").string()}, {"contents", "new"}, {"mode", "644"}};
    CHECK(fixture.run({mode}).changed == 1);
    CHECK(mode_of(fixture.at("f")) == 0644);
}

TEST_CASE("a link takes the place of a file, and a file that of a link, never of a directory") {
    const place fixture;
    std::ofstream(fixture.at("target")) << "kept";
    std::ofstream(fixture.at("f")) << "gone";
    fs::create_directory(fixture.at("d"));
    fs::create_symlink(fixture.at("target"), fixture.at("l"));
    const auto response = fixture.run(
        {json::object{
             {"type", "symlink"}, {"path", fixture.at("f").string()}, {"target", "target"}},
         json::object{{"path", fixture.at("l").string()}, {"contents", "a file"}},
         json::object{{"path", fixture.at("d").string()}, {"contents", "no"}},
         json::object{{"type", "directory"}, {"path", fixture.at("target").string()}}});
    CHECK(response.changed == 2);
    CHECK(response.failed == 2);
    CHECK(response.reason.contains("is a directory"));
    CHECK(fs::is_symlink(fixture.at("f")));
    CHECK(!fs::is_symlink(fixture.at("l")));
    CHECK(text_of(fixture.at("target")) == "kept");
}

TEST_CASE("bytes that are no text come as base64") {
    const place fixture;
    CHECK(
        fixture.run({json::object{{"path", fixture.at("b").string()}, {"base64", "AAH/"}}}).changed
        == 1);
    CHECK(text_of(fixture.at("b")) == std::string("\x00\x01\xff", 3));
}

TEST_CASE("an owner that is not there fails that file alone") {
    const place fixture;
    const auto response = fixture.run(
        {json::object{{"path", fixture.at("a").string()}, {"owner", "nobody-of-this-name"}},
         json::object{{"path", fixture.at("b").string()}, {"contents", "b"}}});
    CHECK(response.failed == 1);
    CHECK(response.changed == 1);
    CHECK(!fs::exists(fixture.at("a")));
}

TEST_CASE("orders that could lead elsewhere, or say what nobody knows, are refused as a whole") {
    const auto refused = [](const char* arguments) {
        const auto order = parse_deployment(arguments);
        REQUIRE(!order.has_value());
        CHECK(order.error().code() == errc::invalid);
    };
    refused("");
    refused("[]");
    refused("{}");
    refused(R"({"files":{}})");
    refused(R"({"files":["/etc/x"]})");
    refused(R"({"files":[{"path":"etc/x"}]})");
    refused(R"({"files":[{"path":"/"}]})");
    refused(R"({"files":[{"path":"/etc/../x"}]})");
    refused(R"({"files":[{"path":"/etc/./x"}]})");
    refused(R"({"files":[{"path":"/etc//x"}]})");
    refused(R"({"files":[{"path":"/etc/x/"}]})");
    refused(R"({"files":[{"path":"/a\u0000b"}]})");
    refused(R"({"files":[{"path":"/a"},{"path":"/a"}]})");
    refused(R"({"files":[{"path":"/a","mode":"9"}]})");
    refused(R"({"files":[{"path":"/a","mode":"17777"}]})");
    refused(R"({"files":[{"path":"/a","mode":420}]})");
    refused(R"({"files":[{"path":"/a","type":"fifo"}]})");
    refused(R"({"files":[{"path":"/a","type":"symlink"}]})");
    refused(R"({"files":[{"path":"/a","target":"b"}]})");
    refused(R"({"files":[{"path":"/a","base64":"?"}]})");
    refused(R"({"files":[{"path":"/a","colour":"red"}]})");
    refused(R"({"files":[],"test":"yes"})");
}

TEST_CASE("a difference is cut off where it is too long, and not within a letter") {
    CHECK(line_difference("same", "same", 100).empty());
    CHECK(line_difference(std::string("\xff", 1), "text", 100).empty());
    std::string many;
    for (int n = 0; n < 1000; ++n) many += "grüße\n";
    const auto response = line_difference("", many, 500);
    CHECK(response.size() <= 510);
    CHECK(response.ends_with("...\n"));
}

}  // namespace
}  // namespace muster::agent
