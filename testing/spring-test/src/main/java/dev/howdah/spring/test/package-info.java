/** For users' tests of applications of Spring Boot: {@link dev.howdah.spring.test.HowdahSpringTest} gives a test a database, and jobs that it runs itself. */
@NullMarked
package dev.howdah.spring.test;

import org.jspecify.annotations.NullMarked;
