package dev.howdah.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.core.annotation.AliasFor;

/**
 * A test of an application, in which jobs and processes run only when the test says so, and time passes only when it says so: a {@link
 * dev.howdah.testkit.TestJobs} and a {@link dev.howdah.testkit.TestProcesses} can be injected, with the application's handlers, schedules and namespaces.
 *
 * <pre>{@code
 * @HowdahSpringTest
 * class RegistrationTest {
 *     @Autowired Registration registration;
 *     @Autowired TestJobs jobs;
 *
 *     @Test
 *     void register_addsAWelcome() {
 *         registration.register("ann@example.com");
 *         jobs.assertAdded("welcome", new Welcome("ann@example.com"));
 *         jobs.runDue();
 *     }
 * }
 * }</pre>
 *
 * <p>Of each further {@code HowdahInstallation} there is a {@code TestJobs}, too, with its name followed by {@code TestJobs}. The property {@code
 * howdah.test.database.NAME} is the JDBC URL of one more database with the tables of Howdah, for the data source of such an installation.
 *
 * <p>Jobs that a test leaves are cancelled after it. A test that is {@code @Transactional} adds its jobs in the transaction that is rolled back at its end: {@code
 * runDue} does not see them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@SpringBootTest
public @interface HowdahSpringTest {
    /** The classes of the application's beans. Defaults to the application's configuration, as that of {@link SpringBootTest} does. */
    @AliasFor(annotation = SpringBootTest.class, attribute = "classes")
    Class<?>[] classes() default {};

    /** Properties, as those of {@link SpringBootTest}. */
    @AliasFor(annotation = SpringBootTest.class, attribute = "properties")
    String[] properties() default {};

    /** The arguments of the application, as those of {@link SpringBootTest}. */
    @AliasFor(annotation = SpringBootTest.class, attribute = "args")
    String[] args() default {};

    /** The web environment, as that of {@link SpringBootTest}. Defaults to a mock one in a web application, for {@code MockMvc}. */
    @AliasFor(annotation = SpringBootTest.class, attribute = "webEnvironment")
    SpringBootTest.WebEnvironment webEnvironment() default SpringBootTest.WebEnvironment.MOCK;

    /**
     * Whether the application's data source is one of its own database, on a PostgreSQL that is started for the tests and ends with them; with the environment variable {@code
     * HOWDAH_TEST_URL}, on that one. It has the tables of Howdah, unless Flyway or Liquibase is on the class path: then it is empty. Otherwise it is the one that the application has. Defaults to
     * yes.
     */
    boolean ownDatabase() default true;
}
