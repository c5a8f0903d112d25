#include "runtime/json/record_reader.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>

namespace muster::runtime {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr auto person =
    R"({"name":"ann","age":41,"admin":true,"seen":1700000000000001,"tags":["a","b"],)"
    R"("logins":{"web":3},"place":{"city":"Bonn","floor":2},"mixed":["a",1]})";

TEST_CASE("members are read by name, whatever else the record has") {
    auto in = json_record_reader::parse("person", person).value();

    CHECK(in.text("name") == "ann");
    CHECK(in.integer("age") == 41);
    CHECK(in.boolean("admin"));
    CHECK(in.time("seen") == wall_time(1'700'000'000'000'001us));
    CHECK(in.list("tags") == std::vector<std::string>{"a", "b"});
    CHECK(in.counts("logins") == std::map<std::string, std::int64_t>{{"web", 3}});
    CHECK(in.finish(1).value() == 1);
}

TEST_CASE("a member that is missing or of another type makes the record corrupt, by name") {
    const auto wrong_after = [](auto read) {
        auto in = json_record_reader::parse("person", person).value();
        read(in);
        return in.finish(1).error().detail();
    };
    using reader = json_record_reader;
    CHECK(wrong_after([](reader& in) { in.text("none"); }) == "invalid \"none\" in person record");
    CHECK(wrong_after([](reader& in) { in.text("age"); }).contains("\"age\""));
    CHECK(wrong_after([](reader& in) { in.integer("name"); }).contains("\"name\""));
    CHECK(wrong_after([](reader& in) { in.boolean("age"); }).contains("\"age\""));
    CHECK(wrong_after([](reader& in) { in.time("name"); }).contains("\"name\""));
    CHECK(wrong_after([](reader& in) { in.list("mixed"); }).contains("\"mixed\""));
    CHECK(wrong_after([](reader& in) { in.list("none"); }).contains("\"none\""));
    CHECK(wrong_after([](reader& in) { in.counts("place"); }).contains("\"place\""));
    CHECK(wrong_after([](reader& in) {
              in.mark_wrong("first");
              in.text("none");
          }).contains("\"first\""));
}

TEST_CASE("a member that may be missing is empty when it is, or is of another type") {
    auto in = json_record_reader::parse("person", person).value();

    CHECK(in.text_or_empty("name") == "ann");
    CHECK(in.text_or_empty("age").empty());
    CHECK(in.integer_or_zero("age") == 41);
    CHECK(in.integer_or_zero("name") == 0);
    CHECK(in.boolean_or_false("admin"));
    CHECK_FALSE(in.boolean_or_false("none"));
    CHECK(in.find_time("seen") == wall_time(1'700'000'000'000'001us));
    CHECK_FALSE(in.find_time("name").has_value());
    CHECK(in.list_or_empty("mixed") == std::vector<std::string>{"a"});
    CHECK(in.list_or_empty("name").empty());
    CHECK(in.texts_or_empty("place") == std::map<std::string, std::string>{{"city", "Bonn"}});
    CHECK(in.texts_or_empty("none").empty());
    CHECK(in.find_array("tags")->size() == 2);
    CHECK(in.find_array("place") == nullptr);
    CHECK(in.has("place"));
    CHECK_FALSE(in.has("none"));
    CHECK(in.finish(1).has_value());
}

TEST_CASE("what is no JSON object is no record") {
    for (const auto* const text : {"", "[", "[]", "1", "{} {}"})
        CHECK(json_record_reader::parse("person", text).error().code() == errc::corrupt);
    CHECK(json_record_reader::from_value("person", json::value(1)).error().code() == errc::corrupt);
    auto within = json_record_reader::from_value("person", json::value{{"name", "ann"}}).value();
    CHECK(within.text("name") == "ann");
}

TEST_CASE("times and lists are read back as they were stored") {
    const wall_time when(1'700'000'000'000'001us);
    json::object stored{{"made", stored_time(when)}, {"tags", stored_list({"a", "b"})}};
    put_time(stored, "seen", when);
    put_time(stored, "left", std::nullopt);

    auto in = json_record_reader::from_value("person", json::value(stored)).value();
    CHECK(in.time("made") == when);
    CHECK(in.find_time("seen") == when);
    CHECK_FALSE(in.has("left"));
    CHECK(in.list("tags") == std::vector<std::string>{"a", "b"});
}

}  // namespace
}  // namespace muster::runtime
