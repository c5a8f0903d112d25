#pragma once

#include "api/agent/agent_endpoints.h"
#include "roles/assembly/server_services.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/configuration/configuration_services.h"
#include "services/configuration/deployment.h"
#include "services/content/content_services.h"
#include "services/content/initial_subscription.h"
#include "services/events/key_event_recorder.h"
#include "services/events/webhook_services.h"
#include "services/fleet/enrolment_service.h"
#include "services/fleet/facts_follower.h"
#include "services/fleet/system_service.h"
#include "services/scheduling/job_management.h"
#include "services/windows/calendar_source.h"

#include <filesystem>

namespace muster::roles {

// Services that gateways and drivers share: systems, enrolment, jobs, software and configuration.
// A server with both roles has one instance.
struct management_services {
    struct options {
        fleet::enrolment_service::options enrolment = {};
        api::agent_entry_api::options entry = {};
        jobs::job_service::options jobs = {};
        repository::repository_reader::options repositories = {};
        std::vector<endpoint>
            closed_addresses;  // not allowed for repositories: our own and the engines'
        events::webhook_address_policy::options webhooks = {};
        std::filesystem::path authorities;  // that servers elsewhere are trusted by
    };

    management_services(server_services& shared, const options& options);
    management_services(const management_services&) = delete;
    management_services& operator=(const management_services&) = delete;

    result<void> add_routes(net::http::router& routes) { return agents.add_routes(routes); }
    void start(runtime::task_group& loops);

    server_services& base;
    events::key_event_recorder key_events;
    fleet::system_service systems;
    fleet::enrolment_service enrolment;
    fleet::facts_follower facts;
    scheduling::job_management jobs;
    windows::https_calendar_source calendars;
    compatibility::numeric_id_store numbers;
    configuration::configuration_services configuration;
    configuration::deployment deployment;
    content::content_services content;
    content::activation_subscriber subscriber;
    api::agent_endpoints agents;
    events::webhook_services webhooks;
    std::filesystem::path authorities;  // that servers elsewhere are trusted by
    std::size_t pool_max = 0;           // systems that may wait for acceptance
};

}  // namespace muster::roles
