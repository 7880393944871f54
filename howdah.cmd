@echo off
rem Runs howdah.jar, which lies beside this file, with a Java 17 or newer: that of HOWDAH_JAVA, of JAVA_HOME or of the PATH.
setlocal DisableDelayedExpansion
rem Names of files may have parentheses: none is written within a block of commands.
set "jar=%~dp0howdah.jar"
if exist "%jar%" goto :found
set "jar=%~dp0daemon\target\howdah.jar"
if exist "%jar%" goto :found
echo howdah: there is no howdah.jar beside "%~f0", and none in daemon\target: build it with mvn package -DskipTests 1>&2
exit /b 1
:found
set "java="
if not defined HOWDAH_JAVA goto :home
call :consider "%HOWDAH_JAVA%"
if defined java goto :run
echo howdah: HOWDAH_JAVA="%HOWDAH_JAVA%" is not a Java 17 or newer 1>&2
exit /b 1
:home
if defined JAVA_HOME call :consider "%JAVA_HOME%"
if not defined java for %%I in (java.exe) do if not "%%~$PATH:I"=="" call :consider "%%~dp$PATH:I.."
if defined java goto :run
echo howdah: Java 17 or newer is needed and none was found: install one, or set HOWDAH_JAVA or JAVA_HOME to where it is 1>&2
exit /b 1
:run
rem As the launcher of other systems: small when idle, and no process that lives on without memory.
set "flags=-XX:+UseSerialGC -Xms16m -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=30 -XX:-UsePerfData -XX:TieredStopAtLevel=1"
set "flags=%flags% -XX:+ExitOnOutOfMemoryError -Xlog:disable -Xlog:all=warning:stderr"
"%java%" %flags% %HOWDAH_JAVA_OPTS% -jar "%jar%" %*
exit /b %ERRORLEVEL%

rem Sets java to that of the directory %1 if it is new enough. The file "release" of a Java says its version.
:consider
if not exist "%~1\bin\java.exe" goto :eof
if not exist "%~1\release" goto :eof
set major=0
for /f "usebackq tokens=1,2 delims==." %%V in ("%~1\release") do if "%%V"=="JAVA_VERSION" set major=%%W
set major=%major:"=%
if %major% GEQ 17 set "java=%~1\bin\java.exe"
goto :eof
