#include "ports/contract/bus_contract.h"

#include "ports/contract/bus_scenarios.h"
#include "ports/contract/bus_steps.h"

#include <array>

namespace muster::contract {

using boost::asio::awaitable;

namespace {

using namespace scenarios;

constexpr std::array cases{
    bus_case{
        "a message is heard by every live subscription whose pattern matches, and by no other",
        bus_fault::none,
        patterns_choose_what_is_heard},
    bus_case{
        "a live subscription hears only what is published after it was opened",
        bus_fault::none,
        only_later_messages_are_heard},
    bus_case{
        "a slow live subscription loses the oldest messages and counts them",
        bus_fault::none,
        a_slow_listener_loses_the_oldest},
    bus_case{
        "what breaks a limit is refused as invalid and publishes nothing",
        bus_fault::none,
        broken_limits_are_invalid},
    bus_case{
        "a ping answers while the engine is there, stores nothing and is heard by nobody",
        bus_fault::none,
        a_ping_leaves_no_trace},
    bus_case{
        "a new durable consumer starts at the oldest message kept",
        bus_fault::none,
        a_new_consumer_starts_at_the_oldest},
    bus_case{
        "a durable consumer goes on where its last reader stopped",
        bus_fault::none,
        a_consumer_outlives_its_reader},
    bus_case{
        "a delivery that is not acknowledged comes again and says so; an acknowledged one never",
        bus_fault::none,
        unacknowledged_comes_again},
    bus_case{
        "while a message of a subject is out, no later one of that subject is handed over",
        bus_fault::none,
        one_message_of_a_subject_is_out},
    bus_case{
        "messages of a subject come in their order, also when they come again",
        bus_fault::none,
        order_holds_under_redelivery},
    bus_case{
        "a message published twice under one id is stored once",
        bus_fault::none,
        a_repeated_id_is_stored_once},
    bus_case{
        "a later reader takes the consumer over and keeps the order; the earlier is told",
        bus_fault::none,
        a_later_reader_takes_over},
    bus_case{
        "a forgotten consumer is gone for its reader and starts anew when opened again",
        bus_fault::none,
        a_forgotten_consumer_starts_anew},
    bus_case{
        "a consumer opened with another pattern is a conflict",
        bus_fault::none,
        another_pattern_is_a_conflict},
    bus_case{
        "a fetch that finds nothing ends when its wait has passed",
        bus_fault::none,
        an_empty_fetch_ends_in_time},
    bus_case{
        "many publishers at once: every message comes, each subject in its order",
        bus_fault::none,
        many_publishers_lose_nothing},
    bus_case{
        "every acknowledged publish survives the loss of the engine in the middle of publishing",
        bus_fault::engine_loss,
        acknowledged_survives_the_engine},
    bus_case{
        "a reader goes on by itself after the loss of the engine",
        bus_fault::engine_loss,
        a_reader_survives_the_engine},
    bus_case{
        "over a cut link every call ends in time with unavailable or timed_out, and recovers alone",
        bus_fault::link_loss,
        a_cut_link_is_told_in_time},
    bus_case{
        "a ping over a cut link ends in time with unavailable, and answers when the link is back",
        bus_fault::link_loss,
        a_ping_tells_of_a_cut_link},
    bus_case{
        "messages of a subject come in their order, also when the link was cut under the reader",
        bus_fault::link_loss,
        order_holds_over_a_cut_link},
    bus_case{
        "no acknowledged message is lost when the engine's leader changes",
        bus_fault::leader_change,
        a_leader_change_loses_nothing},
};

}  // namespace

awaitable<void> bus_fixture::kill_engine() {
    return cannot();
}

awaitable<void> bus_fixture::restart_engine() {
    return cannot();
}

awaitable<void> bus_fixture::cut_link() {
    return cannot();
}

awaitable<void> bus_fixture::heal_link() {
    return cannot();
}

awaitable<void> bus_fixture::change_leader() {
    return cannot();
}

std::string bus_fixture::fresh_word() {
    return "w" + std::to_string(++words_made_);
}

std::span<const bus_case> bus_cases() {
    return cases;
}

void check_bus_contract(bus_fixture& fixture) {
    check_cases(bus_cases(), fixture);
}

}  // namespace muster::contract
