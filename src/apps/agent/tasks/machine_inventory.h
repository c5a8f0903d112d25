#pragma once

#include "core/model/facts.h"
#include "core/session/agent_task.h"

namespace muster::agent {

// Facts and packages of the machine, for tasks that read or change them.
class machine_inventory {
public:
    machine_inventory() = default;
    machine_inventory(const machine_inventory&) = delete;
    machine_inventory& operator=(const machine_inventory&) = delete;
    virtual ~machine_inventory() = default;

    virtual const facts& present_facts() const = 0;
    // Reads the machine's packages again. Ends with task_manager::packages_refreshed(), which may
    // be called before this returns.
    virtual void refresh_packages(session::task_name task) = 0;
    // A program that changes packages has ended.
    virtual void packages_changed() = 0;
};

}  // namespace muster::agent
