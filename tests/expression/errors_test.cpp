// What users read when a text is wrong: every message, and the place it points at.

#include <gtest/gtest.h>

#include "tests/expression/sample_scope.h"

namespace trammel::model::expression {
namespace {

/// Checks the error of a text. The place is marked as users see it: a caret below the first character, and tildes.
void expect_error(const std::string& text, const std::string& marks, const std::string& message) {
  const std::optional<ExpressionError> error = error_of(text);
  ASSERT_TRUE(error) << "no error in: " << text;
  EXPECT_EQ(error->what(), message + "\n  " + text + "\n  " + marks);
  EXPECT_EQ(error->message(), message);
  EXPECT_EQ(error->position(), static_cast<int>(marks.find('^')));
  const bool at_end = error->position() == static_cast<int>(text.size());
  EXPECT_EQ(error->length(), at_end ? 0 : static_cast<int>(marks.size() - marks.find('^'))) << text;
}

TEST(Errors, OfUnknownNamesSuggestNearOnes) {
  expect_error("2*omga*time",  //
               "  ^~~~", "there is no name 'omga'; did you mean omega?");
  expect_error("hinge.angel + 1",  //
               "^~~~~~~~~~~", "there is no name 'hinge.angel'; did you mean hinge.angle?");
  expect_error("1 + qqqqqq", "    ^~~~~~",
               "there is no name 'qqqqqq'; there are: hinge.angle, k, omega, time, upper-arm.angle, x, y, z, zero");
  expect_error("sinn(x)",  //
               "^~~~", "there is no function 'sinn'; did you mean sin or sinh or sign or asin?");
  expect_error("spline(raod, x)",  //
               "       ^~~~", "there is no curve 'raod'; did you mean road or rail?");
}

TEST(Errors, WithoutAnyNamesSayOnlyWhatIsUnknown) {
  ParameterScope scope;
  try {
    evaluate("a + 1", scope);
    ADD_FAILURE();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.message(), "there is no name 'a'");
  }
}

TEST(Errors, OfHyphensSayHowToQuote) {
  const std::string message = "a hyphen means minus: for the name with hyphens write 'upper-arm'.angle";
  expect_error("2*upper-arm.angle",  //
               "  ^~~~~~~~~~~~~~~", message);
  expect_error("upper-arm.angle-x",  //
               "^~~~~~~~~~~~~~~", message);
  expect_error("upper - arm.angle",  //
               "^~~~~", "there is no name 'upper'; did you mean upper-arm.angle?");
}

TEST(Errors, OfNamesThatAreSomethingElse) {
  expect_error("sin + 1",  //
               "^~~", "'sin' is a function: sin(x)");
  expect_error("1 + dx",  //
               "    ^~", "'dx' is a measure: dx(...)");
  expect_error("road*2",  //
               "^~~~", "'road' is a curve: spline(road, x)");
  expect_error("k (x + 1)",  //
               "^", "'k' is not a function; for a product write k*(...)");
  expect_error("30*deg",  //
               "   ^~~", "'deg' stands behind a value: 30 deg");
}

TEST(Errors, OfArgumentCountsShowTheSignature) {
  expect_error("1 + step(x, 0, 1)",  //
               "    ^~~~~~~~~~~~~", "step takes 5 arguments, not 3: step(x, x0, h0, x1, h1)");
  expect_error("sin()",  //
               "^~~~~", "sin takes 1 argument, not 0: sin(x)");
  expect_error("max(x)",  //
               "^~~~~~", "max takes 2 to 100 arguments, not 1: max(a, b, ...)");
  expect_error("spline(road)",  //
               "^~~~~~~~~~~~", "spline takes 2 or 3 arguments, not 1: spline(curve, x, order)");
  expect_error("spline(road, 1, 2, 3)",  //
               "^~~~~~~~~~~~~~~~~~~~~", "spline takes 2 or 3 arguments, not 4: spline(curve, x, order)");
}

TEST(Errors, OfArguments) {
  expect_error("step(x, 1, 0, 1, 2)",  //
               "              ^", "step: x1 must differ from x0, but both are 1");
  expect_error("smooth_abs(x, -k)",  //
               "              ^~", "smooth_abs: width must be positive, not -3");
  expect_error("impact(x, y, 1, 1e5, 1.5, 10, zero)",  //
               "                              ^~~~", "impact: d must be positive, not 0");
  expect_error("impact(x, y, 1, 1e5, 0, 10, 1)",  //
               "                     ^", "impact: e must be positive, not 0");
  expect_error("spline(road, x, 3)",  //
               "                ^", "spline: the order of the derivative must be 0, 1 or 2");
  expect_error("spline(road, x, y)",  //
               "                ^", "spline: the order of the derivative must be 0, 1 or 2");
  expect_error("spline(2, x)",  //
               "       ^", "the first argument is the name of a curve: spline(curve, x, order)");
  expect_error("spline(road + 1, x)",  //
               "            ^", "the first argument is the name of a curve: spline(curve, x, order)");
}

TEST(Errors, OfMeasuresPointAtTheArgument) {
  expect_error("2*dx(wheel.hub, wheel.rim)",  //
               "                ^~~~~~~~~", "there is no marker 'wheel.rim'");
  expect_error("2*dx()",  //
               "  ^~~~", "dx takes one or two markers");
  expect_error("dx(1)",  //
               "   ^", "the arguments of dx are names");
  expect_error("dx(wheel.hub + 1)",  //
               "             ^", "the arguments of dx are names");
}

TEST(Errors, OfArithmeticAmongConstants) {
  expect_error("x + sqrt(k - 4)",  //
               "    ^~~~~~~~~~~", "sqrt(k - 4) is not a real number");
  expect_error("2*(1/zero) + x",  //
               "   ^~~~~~", "1/zero is not a finite number");
  expect_error("atan(1/zero)",  //
               "     ^~~~~~", "1/zero is not a finite number");
  expect_error("if(x > 0, log(zero), 2)",  //
               "          ^~~~~~~~~", "log(zero) is not a finite number");
  expect_error("1e300*1e300",  //
               "^~~~~~~~~~~", "1e300*1e300 is not a finite number");
  expect_error("spline(rail, 99)",  //
               "^~~~~~~~~~~~~~~~", "spline(rail, 99) is not a real number");
}

TEST(Errors, OfSignalsWhereAConstantIsNeeded) {
  expect_error("2*k + 3*hinge.angle",  //
               "        ^~~~~~~~~~~", "a constant is needed here, but 'hinge.angle' changes with time");
  expect_error("dx(wheel.hub)",  //
               "^~~~~~~~~~~~~", "a constant is needed here, but 'dx(wheel.hub)' changes with time");
}

TEST(Errors, OfGrammar) {
  expect_error("", "^", "the expression is empty");
  expect_error("x +", "   ^", "the expression ends too early");
  expect_error("sin(x,", "      ^", "the expression ends too early");
  expect_error("dx(", "   ^", "the expression ends too early");
  expect_error("* 3", "^", "a value is missing before '*'");
  expect_error("2 + * 3", "    ^", "a value is missing before '*'");
  expect_error("2 + ()", "     ^", "a value is missing before ')'");
  expect_error("max(x, , 2)", "       ^", "a value is missing before ','");
  expect_error("(x + 1", "^", "this '(' is not closed");
  expect_error("2*sin(x", "     ^", "this '(' is not closed");
  expect_error("x + 1)", "     ^", "there is no '(' for this ')'");
  expect_error("x, y", " ^", "only the arguments of a call are separated by commas");
  expect_error("2x", " ^", "an operator is missing before 'x'");
  expect_error("2 (x)", "  ^", "an operator is missing before '('");
  expect_error("x 2", "  ^", "an operator is missing before '2'");
  expect_error("1.2.3", "   ^~", "an operator is missing before '.3'");
  expect_error("3 deg deg", "      ^~~", "an operator is missing before 'deg'");
  expect_error("1 < x < 3", "      ^", "comparisons cannot be chained; join them by 'and'");
  expect_error("2*not x", "  ^~~", "'not' needs parentheses here: (not ...)");
}

TEST(Errors, OfCharacters) {
  expect_error("x = 3", "  ^", "'=' has no meaning here; compare with '=='");
  expect_error("x % 3", "  ^", "'%' has no meaning here; write mod(x, y)");
  expect_error("x & y", "  ^", "'&' has no meaning here; write '&&' or 'and'");
  expect_error("x | y", "  ^", "'|' has no meaning here; write '||' or 'or'");
  expect_error("x ; y", "  ^", "';' has no meaning here");
  expect_error("x.5", " ^", "a name must follow the dot");
  expect_error("2*'arm", "  ^", "this quote is not closed");
  expect_error("2*''", "  ^~", "there is no name between the quotes");
  expect_error("1e999", "^~~~~", "this number is too large or too small");
}

TEST(Errors, CountCharactersAndNotBytes) {
  const std::optional<ExpressionError> error = error_of("'größe' + 1");
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()).substr(error->message().size()), "\n  'größe' + 1\n  ^~~~~~~");
  EXPECT_EQ(error_of("1 × 2")->message(), "'×' has no meaning here");
  EXPECT_EQ(error_of(std::string("1 \x01"))->message(), "'\\x01' has no meaning here");
  EXPECT_EQ(error_of(std::string("1 \0 2", 5))->message(), "'\\x00' has no meaning here");
}

TEST(Errors, ShowTheLineThatIsMeant) {
  EXPECT_STREQ(error_of("1 +\n\tqq +\n2*k")->what(),
               "there is no name 'qq'; there are: hinge.angle, k, omega, time, upper-arm.angle, x, y, z, zero\n"
               "   qq +\n"
               "   ^~");
}

TEST(Errors, CutLongLinesAroundThePlace) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "1 + ";
  const std::string what = error_of(text + "x x" + text)->what();
  const std::string picture = what.substr(what.find('\n') + 1);
  const std::size_t line = picture.find('\n');
  EXPECT_EQ(picture.substr(2, 7), "...+ 1 ");
  EXPECT_EQ(picture.substr(line - 3, 3), "...");
  EXPECT_LT(line, 125u);
  EXPECT_EQ(picture[picture.find('^') - line - 1], 'x');
}

TEST(Errors, OfNestingComeBeforeTheStackEnds) {
  const std::string message = "more than 200 operations are nested here";
  const auto repeat = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  for (const std::string part : {"(", "-", "abs(", "x^", "not ", "1+(", "1 or 1 and 1 < 1 + 1*("}) {
    const int times = std::min(10000, (kLongestText - 1) / static_cast<int>(part.size()));
    const std::optional<ExpressionError> error = error_of(repeat(part, times));
    ASSERT_TRUE(error) << part;
    EXPECT_EQ(error->message(), message) << part;
  }
  EXPECT_EQ(constant_of(repeat("(", 150) + "2" + repeat(")", 150)), 2);
  // Length alone is no nesting.
  EXPECT_EQ(constant_of(repeat("1+", 5000) + "1"), 5001);
}

TEST(Errors, OfSize) {
  EXPECT_EQ(error_of(std::string(30000, ' '))->message(), "the expression has 30000 characters; 20000 are allowed");
  std::string arguments = "max(x";
  for (int i = 0; i < 100; ++i) arguments += ",1";
  EXPECT_EQ(error_of(arguments + ")")->message(), "max takes 2 to 100 arguments, not 101: max(a, b, ...)");
  std::string corners = "0";
  for (int i = 0; i < 1001; ++i) corners += "+abs(x-" + std::to_string(i + 1) + ")";
  EXPECT_THROW(compile_sample(corners), ExpressionError);
}

}  // namespace
}  // namespace trammel::model::expression
