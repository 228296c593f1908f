#pragma once

// The whole public interface in one include.

#include "trammel/dae/constrained_system.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/dae/evaluation.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"
#include "trammel/integrators/state_space/integration_jacobian.h"
#include "trammel/integrators/state_space/reduced_problem.h"
#include "trammel/io/continuous_recorder.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/result_file.h"
#include "trammel/io/result_writer.h"
#include "trammel/io/state_columns.h"
#include "trammel/kinematics/projection.h"
#include "trammel/kinematics/redundancy.h"
#include "trammel/kkt/accelerations.h"
