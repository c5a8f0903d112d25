#pragma once

#include "ports/contract/bus_contract.h"

#include <boost/asio/awaitable.hpp>

// The scenarios of the bus contract; bus_contract.cpp gives each its sentence.
namespace muster::contract::scenarios {

using boost::asio::awaitable;

// bus_live_scenarios.cpp
awaitable<void> patterns_choose_what_is_heard(bus_fixture& fixture);
awaitable<void> only_later_messages_are_heard(bus_fixture& fixture);
awaitable<void> a_slow_listener_loses_the_oldest(bus_fixture& fixture);
awaitable<void> broken_limits_are_invalid(bus_fixture& fixture);
awaitable<void> a_ping_leaves_no_trace(bus_fixture& fixture);

// bus_consumer_scenarios.cpp
awaitable<void> a_new_consumer_starts_at_the_oldest(bus_fixture& fixture);
awaitable<void> a_consumer_outlives_its_reader(bus_fixture& fixture);
awaitable<void> unacknowledged_comes_again(bus_fixture& fixture);
awaitable<void> one_message_of_a_subject_is_out(bus_fixture& fixture);
awaitable<void> order_holds_under_redelivery(bus_fixture& fixture);
awaitable<void> a_repeated_id_is_stored_once(bus_fixture& fixture);
awaitable<void> a_later_reader_takes_over(bus_fixture& fixture);
awaitable<void> a_forgotten_consumer_starts_anew(bus_fixture& fixture);
awaitable<void> another_pattern_is_a_conflict(bus_fixture& fixture);
awaitable<void> an_empty_fetch_ends_in_time(bus_fixture& fixture);
awaitable<void> many_publishers_lose_nothing(bus_fixture& fixture);

// bus_fault_scenarios.cpp
awaitable<void> acknowledged_survives_the_engine(bus_fixture& fixture);
awaitable<void> a_reader_survives_the_engine(bus_fixture& fixture);
awaitable<void> a_cut_link_is_told_in_time(bus_fixture& fixture);
awaitable<void> a_ping_tells_of_a_cut_link(bus_fixture& fixture);
awaitable<void> order_holds_over_a_cut_link(bus_fixture& fixture);
awaitable<void> a_leader_change_loses_nothing(bus_fixture& fixture);

}  // namespace muster::contract::scenarios
